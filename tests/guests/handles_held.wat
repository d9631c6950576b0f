;; Makes 1,024 handles of a resource of its own, holds them all, and answers.
(component
  (type $thing (resource (rep i32)))
  (core func $new (canon resource.new $thing))
  (core module $module
    (import "thing" "new" (func $new (param i32) (result i32)))
    ;; include memory
    ;; include specs
    ;; include reply
    (data (i32.const 4096) "done")
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (local $left i32)
      (local.set $left (i32.const 1024))
      (loop $again
        (drop (call $new (i32.const 7)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $again (local.get $left)))
      (call $say (i32.const 4096) (i32.const 4))))
  (core instance $guest (instantiate $module (with "thing" (instance (export "new" (func $new))))))
  ;; include export
)

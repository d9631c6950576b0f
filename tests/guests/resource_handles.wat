;; Makes handles of a resource of its own, for ever, and never drops one.
(component
  (type $thing (resource (rep i32)))
  (core func $new (canon resource.new $thing))
  (core module $module
    (import "thing" "new" (func $new (param i32) (result i32)))
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (loop $again
        (drop (call $new (i32.const 7)))
        (br $again))
      (unreachable)))
  (core instance $guest (instantiate $module (with "thing" (instance (export "new" (func $new))))))
  ;; include export
)

;; Drops a resource of its own, whose destructor loops for ever.
(component
  (core module $end (func (export "destroy") (param i32) (loop $again (br $again))))
  (core instance $ending (instantiate $end))
  (alias core export $ending "destroy" (core func $destroy))
  (type $thing (resource (rep i32) (dtor (core func $destroy))))
  (core func $new (canon resource.new $thing))
  (core func $drop (canon resource.drop $thing))
  (core module $module
    (import "thing" "new" (func $new (param i32) (result i32)))
    (import "thing" "drop" (func $drop (param i32)))
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (call $drop (call $new (i32.const 7)))
      (unreachable)))
  (core instance $guest (instantiate $module
    (with "thing" (instance (export "new" (func $new)) (export "drop" (func $drop))))))
  ;; include export
)

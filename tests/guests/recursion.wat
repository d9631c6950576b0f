;; Calls itself without end.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (func $deeper (param i32) (result i32)
      (i32.add (call $deeper (i32.add (local.get 0) (i32.const 1))) (i32.const 1)))
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (call $deeper (i32.const 0))))
  (core instance $guest (instantiate $module))
  ;; include export
)

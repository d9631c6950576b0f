;; Loops for ever while it is instantiated.
(component
  (core module $module
    ;; include memory
    ;; include specs
    (func $start (loop $again (br $again)))
    (start $start)
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)

;; Loops for ever when it is asked for its tools.
(component
  (core module $module
    ;; include memory
    (func (export "specs") (result i32)
      (loop $again (br $again))
      (unreachable))
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)

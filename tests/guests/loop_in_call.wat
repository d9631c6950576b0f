;; Loops for ever in a call.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (loop $again (br $again))
      (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)

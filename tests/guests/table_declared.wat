;; Declares more table elements than a call may have.
(component
  (core module $module
    (table 20001 funcref)
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)

;; Has one table more than a component may have.
(component
  (core module $module
    ;; repeat 65 (table 1 funcref)
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)

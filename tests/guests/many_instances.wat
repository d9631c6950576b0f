;; Has one core instance more than a component may have.
(component
  (core module $empty)
  ;; repeat 64 (core instance (instantiate $empty))
  (core module $module
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)

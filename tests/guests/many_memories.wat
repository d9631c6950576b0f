;; Has one memory more than a component may have.
(component
  (core module $page (memory 1))
  ;; repeat 8 (core instance (instantiate $page))
  (core module $module
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)

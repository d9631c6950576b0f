;; Declares more memory than a call may have.
(component
  (core module $module
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core module $greedy (memory 2048))
  (core instance $large (instantiate $greedy))
  (core instance $guest (instantiate $module))
  ;; include export
)

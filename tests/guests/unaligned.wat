;; Answers with a result at an odd address.
(component
  (core module $module
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32) (i32.const 3073)))
  (core instance $guest (instantiate $module))
  ;; include export
)

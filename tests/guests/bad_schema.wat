;; A specification with a schema that is no JSON.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (data (i32.const 1072) "{{{{{{{{{{{{{{{{{")
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)

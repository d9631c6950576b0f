;; Wants control of the run, which is for built-in tools only.
(component
  (import "innkeeper:run/control@0.1.0" (instance $control
    (export "message-path" (func (result string)))))
  (core module $module
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)

;; Wants to send requests past the host.
(component
  (import "wasi:http/outgoing-handler@0.2.0" (instance $handler))
  (core module $module
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)

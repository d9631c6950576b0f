;; A component without the tool interface.
(component
  (core module $module (memory (export "memory") 1))
  (core instance $guest (instantiate $module)))

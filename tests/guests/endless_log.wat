;; Logs without end.
(component
  (import "innkeeper:log/log@0.1.0" (instance $log
    (type $level'' (enum "debug" "info" "warn" "error"))
    (export "level" (type $level (eq $level'')))
    (export "write" (func (param "level" $level) (param "message" string)))))
  (alias export $log "write" (func $write))
  (core module $pages (memory (export "memory") 1) (data (i32.const 0) "noise"))
  (core instance $page (instantiate $pages))
  (alias core export $page "memory" (core memory $noise))
  (core func $shout (canon lower (func $write) (memory $noise)))
  (core module $module
    (import "log" "write" (func $shout (param i32 i32 i32)))
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (loop $again
        (call $shout (i32.const 1) (i32.const 0) (i32.const 5))
        (br $again))
      (unreachable)))
  (core instance $guest (instantiate $module (with "log" (instance (export "write" (func $shout))))))
  ;; include export
)

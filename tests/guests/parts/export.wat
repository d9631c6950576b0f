  (alias core export $guest "memory" (core memory $memory))
  (alias core export $guest "realloc" (core func $realloc))
  (type $visibility (enum "model" "user"))
  (type $permission (enum "allow" "ask" "deny"))
  (type $cost (enum "low" "normal" "high"))
  (type $annotations (record
    (field "read-only" bool) (field "destructive" bool) (field "idempotent" bool) (field "open-world" bool) (field "cost" $cost)))
  (type $budget (record
    (field "max-calls" (option u32)) (field "max-output-chars" (option u32)) (field "timeout-ms" (option u32))))
  (type $spec (record
    (field "name" string) (field "title" string) (field "description" string) (field "input-schema" string)
    (field "output-schema" (option string)) (field "annotations" $annotations) (field "visibility" $visibility)
    (field "permission" $permission) (field "budget" $budget) (field "uses" (list string))))
  (type $reference (record
    (field "uri" string) (field "media-type" (option string)) (field "title" (option string))))
  (type $block (variant
    (case "text" string) (case "json" string) (case "image" $reference) (case "audio" $reference) (case "file" $reference)
    (case "resource" $reference) (case "diff" string)))
  (type $request (record (field "name" string) (field "arguments" string)))
  (type $reply (record
    (field "content" (list $block)) (field "structured" (option string)) (field "resource-refs" (list string))))
  (type $failure (record (field "code" string) (field "message" string) (field "details" (option string))))
  (func $specs (result (list $spec))
    (canon lift (core func $guest "specs") (memory $memory) (realloc (core func $realloc))))
  (func $call (param "request" $request) (result (result $reply (error $failure)))
    (canon lift (core func $guest "call") (memory $memory) (realloc (core func $realloc)) (; more ;)))
  (instance $tool
    (export "visibility" (type $visibility)) (export "permission" (type $permission)) (export "cost" (type $cost))
    (export "annotations" (type $annotations)) (export "budget" (type $budget)) (export "spec" (type $spec))
    (export "reference" (type $reference)) (export "block" (type $block)) (export "request" (type $request))
    (export "reply" (type $reply)) (export "failure" (type $failure))
    (export "specs" (func $specs)) (export "call" (func $call)))
  (export "innkeeper:tool/tool@0.1.0" (instance $tool))

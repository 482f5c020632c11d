{{/* Names and labels, which all templates share. _pod.tpl has the pod. */}}

{{/* 40 characters, so that the names with a group, a number or a hash stay within Kubernetes' 63. */}}
{{- define "ledgerhook.name" -}}
{{- if contains "ledgerhook" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-ledgerhook" (.Release.Name | trunc 29 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "ledgerhook.selector" -}}
app.kubernetes.io/name: ledgerhook
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ledgerhook.labels" -}}
{{ include "ledgerhook.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* The component whose pods serve the API: `all`, or the group with the role. Empty if no group has it. */}}
{{- define "ledgerhook.apiComponent" -}}
{{- if eq .Values.processes "one" }}all
{{- else }}{{ range $group, $its := .Values.groups }}{{ if has "api" $its.roles }}{{ $group }}{{ end }}{{ end }}
{{- end }}
{{- end }}

{{- define "ledgerhook.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (ternary (include "ledgerhook.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{/* Helm reads numbers as floats and would print 1000000 as 1e+06. */}}
{{- define "ledgerhook.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* Names, labels and the pod, which all workloads share. */}}

{{/* 40 characters, so that the names with a role, a number or a hash stay within Kubernetes' 63. */}}
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

{{/* The component whose pods serve the API. */}}
{{- define "ledgerhook.apiComponent" -}}
{{ if eq .Values.processes "one" }}all{{ else }}api{{ end }}
{{- end }}

{{/* Helm reads numbers as floats and would print 1000000 as 1e+06. */}}
{{- define "ledgerhook.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* Metadata and spec of a pod. Takes a dict: root, component (a role, or `all`), resources. */}}
{{- define "ledgerhook.pod" -}}
{{- $values := .root.Values }}
{{- $one := eq .component "all" }}
{{- $volume := and $one $values.one.storage.enabled }}
{{- $ca := $values.certificateAuthority }}
metadata:
  labels:
    {{- include "ledgerhook.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  {{- with $values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # The program does not talk to Kubernetes, and reads settings from no variables of other Services.
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    # PostgreSQL refuses a folder that its group may write to, so files that exist are left alone.
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with $values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: ledgerhook
      image: {{ printf "%s:%s" $values.image.repository ($values.image.tag | default .root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      {{- if and $one $values.one.maintenance }}
      command: [node, -e, "process.on('SIGTERM', () => process.exit()); setInterval(() => {}, 1e9)"]
      {{- else }}
      args: [start]
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        - { name: ROLES, value: {{ .component }} }
        - { name: PORT, value: "8080" }
        # Health and metrics are on a port that neither Service nor Ingress of the API shows.
        - { name: OPS_PORT, value: "9090" }
        # A folder that the program makes: the volume itself belongs to root.
        - { name: DATA_DIR, value: /data/store }
        {{- if $ca.configMap }}
        - { name: NODE_EXTRA_CA_CERTS, value: {{ printf "/certificates/%s" $ca.key | quote }} }
        {{- end }}
        {{- range $name, $value := $values.settings }}
        - { name: {{ $name }}, value: {{ include "ledgerhook.text" $value | quote }} }
        {{- end }}
        {{- range $name, $from := $values.secrets }}
        - name: {{ $name }}
          valueFrom: { secretKeyRef: { name: {{ $from.name | quote }}, key: {{ $from.key | quote }} } }
        {{- end }}
      ports:
        {{- if or $one (eq .component "api") }}
        - { name: http, containerPort: 8080 }
        {{- end }}
        - { name: ops, containerPort: 9090 }
      {{- if not (and $one $values.one.maintenance) }}
      # 15 minutes: a start migrates the database, which may wait 5 minutes for its locks, or recovers it after a crash.
      startupProbe:
        httpGet: { path: /healthz, port: ops }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 180
      # A process that is only busy is not restarted: it must be silent for a minute.
      livenessProbe:
        httpGet: { path: /healthz, port: ops }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # What all pods share takes no pod out of the Service, except the database of the API, which has 2 s to answer.
      readinessProbe:
        httpGet: { path: /readyz/traffic, port: ops }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      {{- end }}
      resources: {{- toYaml .resources | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        - { name: data, mountPath: /data }
        {{- if $ca.configMap }}
        - { name: certificates, mountPath: /certificates, readOnly: true }
        {{- end }}
  volumes:
    - { name: tmp, emptyDir: {} }
    {{- if not $volume }}
    # Nothing that must be kept: tables are in PostgreSQL, and the key is a setting.
    - { name: data, emptyDir: {} }
    {{- end }}
    {{- if $ca.configMap }}
    - { name: certificates, configMap: { name: {{ $ca.configMap | quote }} } }
    {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "ledgerhook.selector" .root | nindent 10 }}
          app.kubernetes.io/component: {{ .component }}
  {{- with $values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

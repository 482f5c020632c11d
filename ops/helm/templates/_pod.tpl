{{/* The parts of a pod. `ledgerhook.pod` is the pod that serves; a job of the program can use the parts alone. */}}

{{/* Who the pod is, and where it may run. */}}
{{- define "ledgerhook.placement" -}}
{{- with .Values }}
serviceAccountName: {{ include "ledgerhook.serviceAccount" $ }}
# The program does not talk to Kubernetes, and reads settings from no variables of other Services.
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  # PostgreSQL refuses a folder that its group may write to, so files that exist are left alone.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* The image, and what its container may do. */}}
{{- define "ledgerhook.image" -}}
{{- with .Values.image }}
image: {{ printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) | quote }}
imagePullPolicy: {{ .pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}
{{- end }}

{{/* The variables that values set. `extraEnv` comes first, because only later variables may use it. */}}
{{- define "ledgerhook.env" -}}
{{- with .Values.extraEnv }}
{{- toYaml . }}
{{- end }}
# A folder that the program makes: the volume itself belongs to root.
- { name: DATA_DIR, value: /data/store }
{{- with .Values.certificateAuthority }}
{{- if .configMap }}
- { name: NODE_EXTRA_CA_CERTS, value: {{ printf "/certificates/%s" .key | quote }} }
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ include "ledgerhook.text" $value | quote }} }
{{- end }}
{{- range $name, $from := .Values.secrets }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $from.name | quote }}, key: {{ $from.key | quote }} } }
{{- end }}
{{- end }}

{{- define "ledgerhook.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: data, mountPath: /data }
{{- if .Values.certificateAuthority.configMap }}
- { name: certificates, mountPath: /certificates, readOnly: true }
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* All but `data`. */}}
{{- define "ledgerhook.volumes" -}}
- { name: tmp, emptyDir: {} }
{{- with .Values.certificateAuthority.configMap }}
- { name: certificates, configMap: { name: {{ . | quote }} } }
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Metadata and spec of a pod. Takes a dict: root, component (a group, or `all`), roles, resources. */}}
{{- define "ledgerhook.pod" -}}
{{- $values := .root.Values }}
{{- $one := eq $values.processes "one" }}
{{- $api := eq .component (include "ledgerhook.apiComponent" .root) }}
{{- $drainSeconds := ternary (int $values.drainSeconds) 0 (and $api (not $one)) }}
metadata:
  labels:
    {{- include "ledgerhook.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
    {{- with $values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with $values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "ledgerhook.placement" .root | trim | nindent 2 }}
  # The drain, and 20 s for an orderly stop, which takes up to 15.
  terminationGracePeriodSeconds: {{ add $drainSeconds 20 }}
  containers:
    - name: ledgerhook
      {{- include "ledgerhook.image" .root | trim | nindent 6 }}
      {{- if and $one $values.one.maintenance }}
      command: [node, -e, "process.on('SIGTERM', () => process.exit()); setInterval(() => {}, 1e9)"]
      {{- else }}
      args: [start]
      {{- end }}
      env:
        {{- include "ledgerhook.env" .root | trim | nindent 8 }}
        - { name: ROLES, value: {{ join "," .roles | quote }} }
        - { name: PORT, value: "8080" }
        # Health and metrics are on a port that neither Service nor Ingress of the API shows.
        - { name: OPS_PORT, value: "9090" }
      ports:
        {{- if $api }}
        - { name: http, containerPort: 8080 }
        {{- end }}
        - { name: ops, containerPort: 9090 }
      {{- if $drainSeconds }}
      # Kubernetes takes the pod out of the Service now. Whoever still sends requests to it has this time to notice.
      lifecycle: { preStop: { sleep: { seconds: {{ $drainSeconds }} } } }
      {{- end }}
      {{- if not (and $one $values.one.maintenance) }}
      startupProbe:
        httpGet: { path: /healthz, port: ops }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: {{ div $values.startupSeconds 5 }}
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
        {{- include "ledgerhook.volumeMounts" .root | nindent 8 }}
  volumes:
    {{- include "ledgerhook.volumes" .root | nindent 4 }}
    {{- if not (and $one $values.one.storage.enabled) }}
    # Nothing that must be kept: tables are in PostgreSQL, and the key is a setting.
    - { name: data, emptyDir: {} }
    {{- end }}
  {{- if not $one }}
  # Pods of the version before do not count: they are about to stop.
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      matchLabelKeys: [pod-template-hash]
      labelSelector:
        matchLabels:
          {{- include "ledgerhook.selector" $.root | nindent 10 }}
          app.kubernetes.io/component: {{ $.component }}
    {{- end }}
  {{- end }}
{{- end }}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pods creates pods that use claims, waits for their state, and deletes
// them.
package pods

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
)

// claimLabel is a pod label that identifies the pod's first claim.
const claimLabel = "draconform.dev/claim"

// claimLabelValue returns the value of claimLabel for a claim: its name, or a hash of it if it
// is longer than the value of a label may be.
func claimLabelValue(claim string) string {
	if len(claim) <= validation.LabelValueMaxLength {
		return claim
	}
	return fmt.Sprintf("%x", sha256.Sum224([]byte(claim)))
}

// MainContainer is the name of the container that every pod has.
const MainContainer = "workload"

// gracePeriod is the termination grace period of pods. Workloads terminate
// immediately unless a fault of a driver prevents it.
const gracePeriod = 5 * time.Second

// Options has the optional settings of a pod.
type Options struct {
	// Node is the only node that the pod may run on, if set.
	Node string
	// Apart keeps the pod off the nodes of other pods with the same claim.
	Apart bool
	// Restarts makes the kubelet restart the container whenever it exits.
	// Without it the spec fails if the container exits.
	Restarts bool
	// Change, if set, modifies the pod spec further.
	Change func(*corev1.PodSpec)

	// generated are the claims that are generated for the pod.
	generated []resourceapi.DeviceClaim
}

// Create creates a pod with the workload image that uses claims.
func Create(ctx context.Context, e *env.Env, name string, options Options, claims ...*resourceapi.ResourceClaim) (*corev1.Pod, error) {
	return create(ctx, e, name, options, metav1.CreateOptions{}, claims)
}

// DryRunCreate creates a pod that uses claims as a dry run, and returns the
// error of the API server. The claims need not exist.
func DryRunCreate(ctx context.Context, e *env.Env, claims ...*resourceapi.ResourceClaim) error {
	_, err := create(ctx, e, "try", Options{}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}, claims)
	return err
}

func create(ctx context.Context, e *env.Env, name string, options Options, createOptions metav1.CreateOptions, claims []*resourceapi.ResourceClaim) (*corev1.Pod, error) {
	requested := options.generated
	for _, claim := range claims {
		requested = append(requested, claim.Spec.Devices)
	}
	pod, err := newPod(e, name, requested)
	if err != nil {
		return nil, fmt.Errorf("create pod %s: %w", name, err)
	}
	for i, claim := range claims {
		use := ClaimOf(i)
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: use, ResourceClaimName: &claim.Name})
		resources := &pod.Spec.Containers[0].Resources
		resources.Claims = append(resources.Claims, corev1.ResourceClaim{Name: use})
		pod.Labels[claimLabel] = claimLabelValue(claims[0].Name)
	}
	pod.Spec.Affinity = options.on(e).affinity(pod.Labels[claimLabel], architectures(e, pod))
	if options.Restarts {
		pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	}
	if options.Change != nil {
		options.Change(&pod.Spec)
	}
	stateContainers(pod)
	created, err := e.Client.CoreV1().Pods(e.Namespace).Create(ctx, pod, createOptions)
	if err != nil {
		return nil, fmt.Errorf("create pod %s: %w", name, err)
	}
	if len(createOptions.DryRun) == 0 {
		e.CreatedPod(created)
	}
	checkAdmitted(ctx, e, pod, created, driversIn(e, requested))
	return created, nil
}

// ClaimOf returns the name that a pod gives to the claim with this number, from
// 0, of the claims of [Create].
func ClaimOf(i int) string { return fmt.Sprintf("devices-%d", i) }

// on returns the options for a spec, which may be limited to one node.
func (o Options) on(e *env.Env) Options {
	if e.PlacePod == nil {
		o.Node = cmp.Or(o.Node, e.Node)
	}
	return o
}

// affinity returns the node affinity and the pod anti-affinity for the options.
// The labels of the node must meet all requirements.
func (o Options) affinity(claim string, labels []corev1.NodeSelectorRequirement) *corev1.Affinity {
	affinity := &corev1.Affinity{}
	term := corev1.NodeSelectorTerm{MatchExpressions: labels}
	if o.Node != "" {
		term.MatchFields = []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{o.Node}}}
	}
	if len(term.MatchExpressions)+len(term.MatchFields) > 0 {
		affinity.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{term},
		}}
	}
	if o.Apart {
		affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey:   corev1.LabelHostname,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{claimLabel: claim}},
		}}}
	}
	return affinity
}

// restrictedContext returns the security context of containers, which namespaces with the
// Pod Security Standard restricted admit.
func restrictedContext() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: ptr.To(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		ReadOnlyRootFilesystem:   ptr.To(true),
		RunAsNonRoot:             ptr.To(true),
		RunAsUser:                ptr.To[int64](65532),
		SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// New returns a pod like those of [Create] that uses no claims, for APIs that this program
// does not know. It is not created.
func New(e *env.Env, name string) (*corev1.Pod, error) { return newPod(e, name, nil) }

// newPod returns a pod that can run with the requested devices. It does not use
// them.
func newPod(e *env.Env, name string, requested []resourceapi.DeviceClaim) (*corev1.Pod, error) {
	labels := maps.Clone(e.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.Namespace, Labels: labels},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: ptr.To(false),
			// A container that failed to start is retried.
			RestartPolicy:                 corev1.RestartPolicyOnFailure,
			TerminationGracePeriodSeconds: ptr.To(int64(gracePeriod.Seconds())),
			SchedulerName:                 e.Scheduler,
			Containers: []corev1.Container{{
				Name:            MainContainer,
				Image:           e.Workload,
				ImagePullPolicy: corev1.PullIfNotPresent,
				SecurityContext: restrictedContext(),
			}},
		},
	}
	if e.PlacePod != nil {
		e.PlacePod(pod)
		return pod, nil
	}
	if e.Guest != nil {
		return pod, applySettings(e, pod, requested)
	}
	return pod, nil
}

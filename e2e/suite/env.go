package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
)

// Timeouts bound the waits of specs.
type Timeouts struct {
	// Run is how long a pod may take from its creation, or from when its
	// devices became free, until it runs.
	Run time.Duration
	// Refuse is how long the scheduler may take to say that a pod does not
	// fit.
	Refuse time.Duration
	// Settle is how long a refusal must last to count as one.
	Settle time.Duration
	// Gone is how long objects may take to disappear.
	Gone time.Duration
}

// DefaultTimeouts are for a cluster on one machine.
func DefaultTimeouts() Timeouts {
	return Timeouts{Run: time.Minute, Refuse: 30 * time.Second, Settle: 3 * time.Second, Gone: time.Minute}
}

// Env is what a spec works with: a cluster, a namespace of its own, and the
// driver.
type Env struct {
	Client    kubernetes.Interface
	Namespace string
	Subject   subject.Subject
	Timeouts  Timeouts
	// workload is the image of the pods' container.
	workload string
	labels   map[string]string
}

// Request is one request of a claim: one device that a selector accepts.
type Request struct {
	Name     string
	Selector subject.Selector
}

// Claim creates a claim for the subject's devices. Constraints apply to all of
// its requests.
func (e *Env) Claim(ctx context.Context, name string, requests []Request, constraints ...resourceapi.DeviceConstraint) (*resourceapi.ResourceClaim, error) {
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.Namespace, Labels: e.labels},
		Spec:       resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Constraints: constraints}},
	}
	for _, r := range requests {
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{
			Name: r.Name,
			Exactly: &resourceapi.ExactDeviceRequest{
				DeviceClassName: e.Subject.Class,
				Selectors:       []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: string(r.Selector)}}},
			},
		})
	}
	created, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Create(ctx, claim, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create claim %s: %w", name, err)
	}
	return created, nil
}

// SameParent is the constraint that all devices of a claim have one parent.
func (e *Env) SameParent() resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(e.Subject.Partitions.Parent))}
}

// Pod creates a pod with the workload that uses a claim and has the claim's
// name.
func (e *Env) Pod(ctx context.Context, claim *resourceapi.ResourceClaim) (*corev1.Pod, error) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: claim.Name, Namespace: e.Namespace, Labels: e.labels},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: ptr.To(false),
			RestartPolicy:                corev1.RestartPolicyNever,
			// Only drivers' own faults make a workload end slowly.
			TerminationGracePeriodSeconds: ptr.To[int64](5),
			ResourceClaims:                []corev1.PodResourceClaim{{Name: "devices", ResourceClaimName: &claim.Name}},
			Containers: []corev1.Container{{
				Name:            "workload",
				Image:           e.workload,
				ImagePullPolicy: corev1.PullIfNotPresent,
				Resources:       corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "devices"}}},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: ptr.To(false),
					Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
					ReadOnlyRootFilesystem:   ptr.To(true),
					RunAsNonRoot:             ptr.To(true),
					RunAsUser:                ptr.To[int64](65532),
					SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
				},
			}},
		},
	}
	created, err := e.Client.CoreV1().Pods(e.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create pod %s: %w", claim.Name, err)
	}
	return created, nil
}

// Inventory reads what the subject's slices offer.
func (e *Env) Inventory(ctx context.Context) (*audit.Inventory, error) {
	slices, err := e.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{
		FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + e.Subject.Driver,
	})
	if err != nil {
		return nil, fmt.Errorf("list slices of driver %s: %w", e.Subject.Driver, err)
	}
	return audit.NewInventory(slices.Items), nil
}

// Parent is what the subject's devices of one parent have in common.
func (e *Env) Parent(ctx context.Context, device audit.DeviceID) string {
	ginkgo.GinkgoHelper()
	inventory, err := e.Inventory(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	parent, ok := inventory.Attribute(device, e.Subject.Partitions.Parent)
	gomega.Expect(ok).To(gomega.BeTrue(), "device %s should have the string attribute %s", device, e.Subject.Partitions.Parent)
	return parent
}

package suite

import (
	"context"
	"fmt"
	"io"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
)

// Start creates a claim and a pod of the same name that uses it. It fails the
// spec if the API server rejects either of them. Constraints apply to the
// requests that they name, or to all requests.
func (e *Env) Start(ctx context.Context, name string, requests []Request, constraints ...resourceapi.DeviceConstraint) {
	ginkgo.GinkgoHelper()
	e.StartClaim(ctx, name, Devices(requests, constraints...))
}

// StartClaim is Start for any claim spec.
func (e *Env) StartClaim(ctx context.Context, name string, devices resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	e.StartClaimOn(ctx, name, "", devices)
}

// StartClaimOn is StartClaim for a pod that may only run on the given node. An
// empty node allows all nodes.
func (e *Env) StartClaimOn(ctx context.Context, name, node string, devices resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim and pod %s", name))
	claim, err := e.Claim(ctx, name, devices)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = e.Pod(ctx, name, PodOptions{Node: node}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// StartClaims creates claims and a pod that uses all of them. The claims have
// the name of the pod with their number, from 0.
func (e *Env) StartClaims(ctx context.Context, pod string, devices ...resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s with %d claims", pod, len(devices)))
	var claims []*resourceapi.ResourceClaim
	for i, d := range devices {
		claim, err := e.Claim(ctx, fmt.Sprintf("%s-%d", pod, i), d)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		claims = append(claims, claim)
	}
	_, err := e.Pod(ctx, pod, PodOptions{}, claims...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// StartUsers creates a claim for one device and the given number of pods that
// use it. The pods run on different nodes. It returns the names of the pods. A
// node in the options applies to the first pod only.
func (e *Env) StartUsers(ctx context.Context, name string, device subject.Device, pods int, options PodOptions) []string {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s and %d pods", name, pods))
	claim, err := e.Claim(ctx, name, Devices([]Request{{Name: "device", Device: device}}))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	options.Apart = pods > 1
	var names []string
	for i := range pods {
		names = append(names, fmt.Sprintf("%s-%d", name, i))
		_, err = e.Pod(ctx, names[i], options, claim)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		options.Node = ""
	}
	return names
}

// Runs waits until a pod runs. It asserts that the allocations in the cluster
// are valid, that the pod's claims were allocated what they request, that the
// pod's node has these devices, and that the container sees exactly these
// devices. It returns the devices.
func (e *Env) Runs(ctx context.Context, name string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s runs", name))
	var pod *corev1.Pod
	nudger := e.nudger()
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		pod, err = e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		gone := ended(pod)
		if running(pod) && !gone {
			return nil
		}
		nudger.nudge(ctx, pod)
		err = fmt.Errorf("pod %s is %s: %s", name, pod.Status.Phase, e.whyNot(ctx, pod))
		if gone {
			return gomega.StopTrying(err.Error())
		}
		return err
	}).WithTimeout(e.Timeouts.Run).Should(gomega.Succeed(), "the pod should run, because its claim fits")
	allocated := e.fulfilled(ctx, pod)
	e.containerSees(ctx, name, allocated)
	return allocated
}

// Allocation returns the devices that a claim was allocated.
func (e *Env) Allocation(ctx context.Context, claim string) resourceapi.DeviceAllocationResult {
	ginkgo.GinkgoHelper()
	got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(got.Status.Allocation).NotTo(gomega.BeNil(), "claim %s of a pod that runs should be allocated", claim)
	return got.Status.Allocation.Devices
}

// offered waits until ResourceSlices offer the allocated devices of claims, and
// returns all offered devices. The wait is needed because a kubelet that starts
// deletes the ResourceSlices of its node, and the driver publishes them again.
func (e *Env) offered(ctx context.Context, claims ...*resourceapi.ResourceClaim) *audit.Inventory {
	ginkgo.GinkgoHelper()
	var inventory *audit.Inventory
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		if inventory, err = e.Inventory(ctx); err != nil {
			return err
		}
		for _, claim := range claims {
			for _, device := range audit.Allocated(claim) {
				if _, ok := inventory.Device(device); !ok {
					return fmt.Errorf("claim %s was allocated %s, which no slice of driver %s offers", claim.Name, device, device.Driver)
				}
			}
		}
		return nil
	}).WithTimeout(e.Timeouts.Run).Should(gomega.Succeed(), "claims should have devices that exist")
	return inventory
}

// containerSees asserts which devices the container of a pod reports.
func (e *Env) containerSees(ctx context.Context, pod string, want []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) ([]audit.DeviceID, error) {
		return e.seen(ctx, pod, mainContainer)
	}).WithTimeout(e.Timeouts.Run).Should(gomega.ConsistOf(want), "the container of pod %s should see the devices of its claim and no others", pod)
}

// seen returns the devices that a container of a pod has reported so far.
func (e *Env) seen(ctx context.Context, pod, container string) ([]audit.DeviceID, error) {
	log, err := e.log(ctx, pod, container)
	if err != nil {
		return nil, err
	}
	return e.Subject.Seen(log)
}

func (e *Env) log(ctx context.Context, pod, container string) ([]byte, error) {
	stream, err := e.Client.CoreV1().Pods(e.Namespace).GetLogs(pod, &corev1.PodLogOptions{Container: container}).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the log of container %s of pod %s: %w", container, pod, err)
	}
	defer func() { _ = stream.Close() }()
	const limit = 1 << 20
	return io.ReadAll(io.LimitReader(stream, limit))
}

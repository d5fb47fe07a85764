package suite

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/calls"
)

// DriverNode is a node on which a driver has devices.
func (e *Env) DriverNode(ctx context.Context, driver string) string {
	ginkgo.GinkgoHelper()
	all, err := e.slicesOf(ctx, driver)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	i := slices.IndexFunc(all, func(s resourceapi.ResourceSlice) bool { return s.Spec.NodeName != nil })
	gomega.Expect(i).NotTo(gomega.Equal(-1), "driver %s should have devices on some node", driver)
	return *all[i].Spec.NodeName
}

// Disturb lets a fault happen to the next calls that a driver gets on a node, at
// most until the spec ends.
func (e *Env) Disturb(ctx context.Context, driver, node string, fault calls.Fault) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("letting %s of driver %s on node %s %s", fault.Method, driver, node, fault.Action))
	steered, err := e.drivers.Control(ctx, driver, node)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(steered.Inject(ctx, driver, fault)).To(gomega.Succeed())
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		gomega.Expect(steered.Release(ctx, driver)).To(gomega.Succeed())
	}, ginkgo.NodeTimeout(e.Timeouts.Gone))
}

// Undisturb ends all faults of a driver on a node.
func (e *Env) Undisturb(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("ending the faults of driver %s on node %s", driver, node))
	steered, err := e.drivers.Control(ctx, driver, node)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(steered.Release(ctx, driver)).To(gomega.Succeed())
}

// Calls are those calls of a method that a driver got on a node for a claim of
// the spec, and what became of the claim.
func (e *Env) Calls(ctx context.Context, driver, node, method, claim string) []ClaimCall {
	ginkgo.GinkgoHelper()
	got, err := e.calls(ctx, driver, node, method, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return got
}

// ClaimCall is what a call did to a claim.
type ClaimCall struct {
	UID string
	// Devices are those that were prepared, and CDIDevices what containers get for
	// them.
	Devices, CDIDevices []string
	// Error is why the call failed, or its part for the claim.
	Error string
	// Ended is false as long as the driver has not answered.
	Ended bool
}

// Succeeded says that the driver did what the call asks for.
func (c ClaimCall) Succeeded() bool { return c.Ended && c.Error == "" }

func (e *Env) calls(ctx context.Context, driver, node, method, claim string) ([]ClaimCall, error) {
	steered, err := e.drivers.Control(ctx, driver, node)
	if err != nil {
		return nil, err
	}
	all, err := steered.Calls(ctx, driver, 0)
	if err != nil {
		return nil, err
	}
	var got []ClaimCall
	for _, call := range all {
		for _, about := range call.Claims {
			if call.Method != method || about.Namespace != e.Namespace || about.Name != claim {
				continue
			}
			failed := call.Error
			if failed == "" {
				failed = about.Error
			}
			got = append(got, ClaimCall{UID: about.UID, Devices: about.Devices, CDIDevices: about.CDIDevices, Error: failed, Ended: call.End != nil})
		}
	}
	return got, nil
}

// Called waits until the kubelet of a node has called a driver for a claim.
func (e *Env) Called(ctx context.Context, driver, node, method, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until %s is called for claim %s", method, claim))
	gomega.Eventually(ctx, func(ctx context.Context) ([]ClaimCall, error) {
		return e.calls(ctx, driver, node, method, claim)
	}).WithTimeout(e.Timeouts.Run).ShouldNot(gomega.BeEmpty(), "the kubelet should call %s for claim %s", method, claim)
}

// Touch changes a pod in a way that means nothing. A kubelet looks at a pod when
// it changes, and else once in a minute or two.
func (e *Env) Touch(ctx context.Context, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("making the kubelet look at pod " + pod)
	gomega.Expect(e.touch(ctx, pod)).To(gomega.Succeed())
}

func (e *Env) touch(ctx context.Context, pod string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"draconform.dev/touched":%q}}}`, time.Now().Format(time.RFC3339Nano))
	_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(ctx, pod, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// nudgeInterval is how long a pod with a node may be on its way before the kubelet
// is made to look again.
const nudgeInterval = 5 * time.Second

// nudger makes the kubelet look again at a pod that it has got. When it could not
// read a claim, because the API server did not know yet that the node may, or when
// the driver was not there, it would do so by itself only after a minute or more,
// which is no fault and takes long.
type nudger struct {
	env  *Env
	last time.Time
}

func (e *Env) nudger() *nudger { return &nudger{e, time.Now()} }

func (n *nudger) nudge(ctx context.Context, pod *corev1.Pod) {
	if pod.Spec.NodeName == "" || time.Since(n.last) < nudgeInterval {
		return
	}
	n.last = time.Now()
	// It is only to save time.
	_ = n.env.touch(ctx, pod.Name)
}

// Delete asks for the end of a pod, and does not wait for it. By force means
// that the pod is gone at once, whatever the kubelet still has to do.
func (e *Env) Delete(ctx context.Context, pod string, byForce bool) {
	ginkgo.GinkgoHelper()
	options := e.podDeletion()
	how := "deleting"
	if byForce {
		how, options.GracePeriodSeconds = "deleting by force", ptr.To[int64](0)
	}
	ginkgo.By(fmt.Sprintf("%s pod %s", how, pod))
	gomega.Expect(e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, pod, options)).To(gomega.Succeed())
	delete(e.kept.seen.pods, pod)
}

// StaysHeld asserts that for a while a pod that is deleted, and the devices of
// its claim, stay.
func (e *Env) StaysHeld(ctx context.Context, pod, claim, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("looking whether claim %s keeps its devices", claim))
	held := func(ctx context.Context) error {
		if _, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{}); err != nil {
			return err
		}
		got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if got.Status.Allocation == nil || len(got.Status.ReservedFor) == 0 {
			return fmt.Errorf("claim %s has lost its devices: allocation %v, reserved for %v", claim, got.Status.Allocation, got.Status.ReservedFor)
		}
		return nil
	}
	gomega.Consistently(ctx, held).WithTimeout(e.Timeouts.Settle).Should(gomega.Succeed(), "pod %s and the devices of claim %s should stay, because %s", pod, claim, because)
	gomega.Expect(held(ctx)).To(gomega.Succeed(), "pod %s and the devices of claim %s should stay, because %s", pod, claim, because)
}

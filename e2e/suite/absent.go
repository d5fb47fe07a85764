package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/draconform/draconform/fakedriver/control"
)

// Absent is a driver that is temporarily removed from a node.
type Absent struct {
	env          *Env
	driver, node string
	before       control.Status
}

// StopDriver removes a driver from a node. The driver is started again by
// Returns, or at the end of the spec.
func (e *Env) StopDriver(ctx context.Context, driver, node string) *Absent {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("stopping driver %s on node %s", driver, node))
	a := &Absent{e, driver, node, e.statusOf(ctx, driver, node)}
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		a.bringBack(ctx)
	}, ginkgo.NodeTimeout(2*e.Timeouts.Recover))
	ctx, cancel := context.WithTimeout(ctx, e.Timeouts.Recover)
	defer cancel()
	gomega.Expect(e.Drivers.Stop(ctx, driver, node)).To(gomega.Succeed())
	return a
}

// Returns starts the driver again. It waits until the driver is registered with
// the kubelet and has published its devices.
func (a *Absent) Returns(ctx context.Context) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("starting driver %s on node %s", a.driver, a.node))
	a.bringBack(ctx)
}

// bringBack starts the driver again. Further calls do nothing.
func (a *Absent) bringBack(ctx context.Context) {
	ginkgo.GinkgoHelper()
	e := a.env
	if e == nil {
		return
	}
	a.env = nil
	gomega.Expect(e.Drivers.Start(ctx, a.driver, a.node)).To(gomega.Succeed())
	e.driverIsBack(ctx, a.driver, a.node, a.before)
}

// Waits asserts that a pod that is bound to a node waits for its devices. It
// waits until a warning event of the pod contains why. Then it asserts that
// none of the containers starts for a while.
func (e *Env) Waits(ctx context.Context, name, why string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until an event of pod %s says: %s", name, why))
	nudger := e.nudger()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.notStarted(ctx, name)
		if _, started := errors.AsType[startedError](err); started {
			return gomega.StopTrying(err.Error())
		}
		if err != nil {
			return err
		}
		nudger.nudge(ctx, pod)
		warned, err := e.warned(ctx, pod, why)
		if err == nil && !warned {
			err = fmt.Errorf("no warning about pod %s says %q: %s", name, why, e.whyNot(ctx, pod))
		}
		return err
	}).WithTimeout(e.Timeouts.Run).Should(gomega.Succeed(), "the kubelet should say what pod %s waits for", name)
	e.stays(ctx, func(ctx context.Context) (broken, unseen error) {
		_, err := e.notStarted(ctx, name)
		if _, started := errors.AsType[startedError](err); started {
			return err, nil
		}
		return nil, err
	}, "pod %s should wait: %s", name, why)
}

// notStarted returns a pod. It returns an error if the pod has no node, and a
// startedError if one of its containers was started.
func (e *Env) notStarted(ctx context.Context, name string) (*corev1.Pod, error) {
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if pod.Spec.NodeName == "" {
		return nil, fmt.Errorf("pod %s is not scheduled: %s", name, e.whyNot(ctx, pod))
	}
	started := slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(c corev1.ContainerStatus) bool {
		return c.ContainerID != "" && c.State.Waiting == nil
	})
	if started || pod.Status.Phase != corev1.PodPending {
		return nil, startedError(fmt.Sprintf("pod %s is %s and was started, although its devices were not prepared", name, pod.Status.Phase))
	}
	return pod, nil
}

// startedError reports that a pod was started before its devices were prepared.
type startedError string

func (e startedError) Error() string { return string(e) }

// warned reports whether the message of a warning event of a pod contains word.
func (e *Env) warned(ctx context.Context, pod *corev1.Pod, word string) (bool, error) {
	events, err := e.Client.CoreV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", string(pod.UID)).String(),
	})
	if err != nil {
		return false, fmt.Errorf("list the events of pod %s: %w", pod.Name, err)
	}
	return slices.ContainsFunc(events.Items, func(event corev1.Event) bool {
		return event.Type == corev1.EventTypeWarning && strings.Contains(event.Message, word)
	}), nil
}

// Gone waits until deleted pods are removed from the API.
func (e *Env) Gone(ctx context.Context, pods ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pods %v are gone", pods))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		return e.podsGone(ctx, pods)
	}).WithTimeout(e.Timeouts.Gone).Should(gomega.Succeed(), "deleted pods should disappear")
}

// NothingPublished waits until the ResourceSlices of a driver for a node are
// deleted.
func (e *Env) NothingPublished(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the slices of driver %s for node %s are removed", driver, node))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		all, err := e.slicesOf(ctx, driver)
		if err != nil {
			return err
		}
		var errs []error
		for _, slice := range all {
			if slice.Spec.NodeName != nil && *slice.Spec.NodeName == node {
				errs = append(errs, fmt.Errorf("slice %s is still there", slice.Name))
			}
		}
		return errors.Join(errs...)
	}).WithTimeout(e.Timeouts.Recover).Should(gomega.Succeed(), "the slices of driver %s, which is not on node %s, should be removed", driver, node)
}

package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/control"
)

// Container identifies a container of a pod, so that a spec can detect that it
// was replaced.
type Container struct {
	Pod, ID, Node string
}

// Container returns the only container of a running pod.
func (e *Env) Container(ctx context.Context, name string) Container {
	ginkgo.GinkgoHelper()
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(pod.Status.ContainerStatuses).To(gomega.HaveLen(1), "pod %s runs and should have one container", name)
	return Container{Pod: name, ID: pod.Status.ContainerStatuses[0].ContainerID, Node: pod.Spec.NodeName}
}

// KeptRunning asserts that a container was not restarted.
func (e *Env) KeptRunning(ctx context.Context, before Container, despite string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("looking whether pod %s kept running", before.Pod))
	isStill := func() {
		ginkgo.GinkgoHelper()
		gomega.Expect(e.Container(ctx, before.Pod)).To(gomega.Equal(before), "the container of pod %s should go on despite %s", before.Pod, despite)
	}
	isStill() // For a restarted container, this failure is more specific than that of Runs.
	e.Runs(ctx, before.Pod)
	isStill()
}

// RunsAnew waits until a pod has another container than before, and asserts
// what Runs does.
func (e *Env) RunsAnew(ctx context.Context, before Container, after string) {
	ginkgo.GinkgoHelper()
	e.anotherContainer(ctx, before, after)
	e.Runs(ctx, before.Pod)
}

// anotherContainer waits until a pod has another container than before and is
// ready.
func (e *Env) anotherContainer(ctx context.Context, before Container, after string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s has a new container", before.Pod))
	nudger := e.nudger()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, before.Pod, metav1.GetOptions{})
		if err != nil {
			return err
		}
		nudger.nudge(ctx, pod)
		for _, c := range pod.Status.ContainerStatuses {
			if c.State.Running != nil && c.ContainerID != before.ID && isReady(pod) {
				return nil
			}
		}
		return fmt.Errorf("pod %s is %s: %s", pod.Name, pod.Status.Phase, e.whyNot(ctx, pod))
	}).WithTimeout(e.Timeouts.Recover).Should(gomega.Succeed(), "the pod's container should be started again after %s", after)
}

// isReady reports whether a pod is ready. After a restart of its node the
// container status can be outdated, but the pod is not ready then.
func isReady(pod *corev1.Pod) bool {
	ready := condition(pod, corev1.PodReady)
	return ready != nil && ready.Status == corev1.ConditionTrue
}

// RestartDriver kills a driver's process on a node without time to clean up. It
// waits until the next process is registered with the kubelet.
func (e *Env) RestartDriver(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("killing driver %s on node %s", driver, node))
	before := e.statusOf(ctx, driver, node)
	e.steer(ctx, driver, node, func(ctx context.Context, pod Driver) error { return pod.Exit(ctx) })
	e.driverAnswers(ctx, driver, node, before)
}

// driverAnswers waits until a new process of a driver is registered. It asserts
// that the process knows the same prepared claims as the previous one.
func (e *Env) driverAnswers(ctx context.Context, driver, node string, before control.Status) {
	ginkgo.GinkgoHelper()
	now := e.driverIsBack(ctx, driver, node, before)
	gomega.Expect(now.Claims).To(gomega.Equal(before.Claims), "driver %s on node %s should still know which claims are prepared", driver, node)
}

// driverIsBack is driverAnswers without the assertion about claims, because the
// kubelet may have unprepared claims in the meantime.
func (e *Env) driverIsBack(ctx context.Context, driver, node string, before control.Status) (now control.Status) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		if now, err = e.driverStatus(ctx, driver, node); err != nil {
			return err
		}
		switch {
		case now.Process == before.Process:
			return errors.New("the process is the one that was there before")
		case !now.Registered:
			return errors.New("the kubelet has not registered it")
		case now.Pending != "":
			return fmt.Errorf("its devices are not published: %s", now.Pending)
		}
		return nil
	}).WithTimeout(e.Timeouts.Recover).Should(gomega.Succeed(), "driver %s should come back on node %s", driver, node)
	return now
}

// UpdateDriver replaces a driver's pods on all nodes and waits for the new
// pods.
func (e *Env) UpdateDriver(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("updating driver %s", driver))
	before := e.statusOf(ctx, driver, node)
	updating, cancel := context.WithTimeout(ctx, e.Timeouts.Recover)
	defer cancel()
	gomega.Expect(e.Drivers.Update(updating, driver)).To(gomega.Succeed(), "the driver's new pods should become ready")
	e.driverAnswers(ctx, driver, node, before)
}

// RestartKubelet kills the kubelet of a node and waits until the next one
// answers.
func (e *Env) RestartKubelet(ctx context.Context, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("killing the kubelet of node %s", node))
	gomega.Expect(e.Nodes.RestartKubelet(ctx, node)).To(gomega.Succeed())
}

// RestartScheduler ends the pods' scheduler and waits until the next process is
// the leader.
func (e *Env) RestartScheduler(ctx context.Context) {
	ginkgo.GinkgoHelper()
	ginkgo.By("restarting the scheduler")
	gomega.Expect(e.ControlPlane.RestartScheduler(ctx)).To(gomega.Succeed())
}

// RestartNode stops a node, starts it again, and waits until its driver is
// registered.
func (e *Env) RestartNode(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("restarting node %s", node))
	before := e.statusOf(ctx, driver, node)
	gomega.Expect(e.Nodes.RestartNode(ctx, node)).To(gomega.Succeed())
	e.driverAnswers(ctx, driver, node, before)
}

// Prepared asserts whether a driver has prepared a claim on a node. It also
// asserts that there are CDI files for exactly the prepared claims.
func (e *Env) Prepared(ctx context.Context, driver, node, claim string, prepared bool) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		status, err := e.driverStatus(ctx, driver, node)
		if err != nil {
			return err
		}
		if slices.Contains(status.Claims, e.Namespace+"/"+claim) != prepared {
			return fmt.Errorf("driver %s on node %s has prepared %v", driver, node, status.Claims)
		}
		if !slices.Equal(status.Described, status.Claims) {
			return fmt.Errorf("driver %s on node %s has prepared %v, and there are CDI files for %v", driver, node, status.Claims, status.Described)
		}
		return nil
	}).WithTimeout(e.Timeouts.Gone).Should(gomega.Succeed(), "claim %s should be prepared: %t", claim, prepared)
}

package suite

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
)

// Once returns a container of the workload that exits after it has reported its
// devices.
func Once(name string, like corev1.Container) corev1.Container {
	once := *like.DeepCopy()
	once.Name, once.Args = name, []string{"--once"}
	return once
}

// Sees asserts which devices a container of a pod reports. If the container was
// restarted, the report of its last instance counts.
func (e *Env) Sees(ctx context.Context, pod, container string, want []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) ([]audit.DeviceID, error) {
		return e.seen(ctx, pod, container)
	}).WithTimeout(e.Timeouts.Run).Should(gomega.ConsistOf(want), "container %s of pod %s should see the devices of the claims that it uses and no others", container, pod)
}

// StartedAgain waits until the container of a pod has ended and was restarted.
// It returns the devices of the pod's claims.
func (e *Env) StartedAgain(ctx context.Context, name string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the container of pod %s is started again", name))
	var pod *corev1.Pod
	nudger := e.nudger()
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		pod, err = e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		nudger.nudge(ctx, pod)
		for _, c := range pod.Status.ContainerStatuses {
			if c.RestartCount > 0 && hasRun(c.LastTerminationState.Terminated) {
				return nil
			}
		}
		return fmt.Errorf("pod %s is %s: %s", name, pod.Status.Phase, e.whyNot(ctx, pod))
	}).WithTimeout(e.Timeouts.Run).Should(gomega.Succeed(), "the kubelet should start the container again, because the pod asks for that")
	return e.fulfilled(ctx, pod)
}

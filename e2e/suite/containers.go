package suite

import (
	"context"
	"fmt"
	"io"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
)

// StartChanged creates a claim for one device and a pod of the same name that
// uses it, after a change of what the pod would be.
func (e *Env) StartChanged(ctx context.Context, name string, device subject.Device, change func(*corev1.PodSpec)) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim and pod %s", name))
	claim, err := e.Claim(ctx, name, Devices([]Request{{Name: "device", Device: device}}))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	pod := e.pod(name)
	const use = "device"
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: use, ResourceClaimName: &claim.Name}}
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: use}}
	change(&pod.Spec)
	_, err = e.Client.CoreV1().Pods(e.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// Once is a container of the workload that ends when it has reported its devices.
func Once(name string, like corev1.Container) corev1.Container {
	once := *like.DeepCopy()
	once.Name, once.Args = name, []string{"--once"}
	return once
}

// Sees asserts which devices a container of a pod reports; of one that was
// started again it is the last that counts.
func (e *Env) Sees(ctx context.Context, pod, container string, want []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) ([]audit.DeviceID, error) {
		stream, err := e.Client.CoreV1().Pods(e.Namespace).GetLogs(pod, &corev1.PodLogOptions{Container: container}).Stream(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the log of container %s of pod %s: %w", container, pod, err)
		}
		defer func() { _ = stream.Close() }()
		log, err := io.ReadAll(io.LimitReader(stream, 1<<20))
		if err != nil {
			return nil, err
		}
		return e.Subject.Seen(log)
	}).WithTimeout(e.Timeouts.Run).Should(gomega.ConsistOf(want), "container %s of pod %s should see the devices of the claims that it uses and no others", container, pod)
}

// StartedAgain waits until the container of a pod has ended and another was
// started in its place, and returns the devices of the pod's claim.
func (e *Env) StartedAgain(ctx context.Context, name string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the container of pod %s is started again", name))
	var pod *corev1.Pod
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		pod, err = e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range pod.Status.ContainerStatuses {
			if c.RestartCount > 0 {
				return nil
			}
		}
		return fmt.Errorf("pod %s is %s: %s", name, pod.Status.Phase, e.whyNot(ctx, pod))
	}).WithTimeout(e.Timeouts.Run).Should(gomega.Succeed(), "the kubelet should start the container again, because the pod asks for that")
	return e.fulfilled(ctx, pod)
}

package pods

import (
	"context"
	"fmt"
	"io"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
)

// CompletingContainer returns a copy of a workload container with another name,
// which exits after it has reported its devices.
func CompletingContainer(name string, like corev1.Container) corev1.Container {
	once := *like.DeepCopy()
	once.Name, once.Args = name, []string{"--once"}
	return once
}

// ExpectContainerDevices asserts which devices a container of a pod reports. If
// the container was restarted, the report of its last instance counts.
func ExpectContainerDevices(ctx context.Context, e *env.Env, pod, container string, want []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) ([]audit.DeviceID, error) {
		return getContainerDevices(ctx, e, pod, container)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.ConsistOf(want), "container %s of pod %s should see the devices of the claims that it uses and no others", container, pod)
}

// expectMainContainerDevices asserts which devices the main container of a pod
// reports.
func expectMainContainerDevices(ctx context.Context, e *env.Env, pod string, want []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) ([]audit.DeviceID, error) {
		return getContainerDevices(ctx, e, pod, MainContainer)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.ConsistOf(want), "the container of pod %s should see the devices of its claim and no others", pod)
}

// getContainerDevices returns the devices that a container of a pod has
// reported so far.
func getContainerDevices(ctx context.Context, e *env.Env, pod, container string) ([]audit.DeviceID, error) {
	log, err := GetLog(ctx, e, pod, container)
	if err != nil {
		return nil, err
	}
	return e.Subject.Seen(log)
}

// GetLog returns the log of a container of a pod, at most its first MiB.
func GetLog(ctx context.Context, e *env.Env, pod, container string) ([]byte, error) {
	stream, err := e.Client.CoreV1().Pods(e.Namespace).GetLogs(pod, &corev1.PodLogOptions{Container: container}).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the log of container %s of pod %s: %w", container, pod, err)
	}
	defer func() { _ = stream.Close() }()
	const limit = 1 << 20
	return io.ReadAll(io.LimitReader(stream, limit))
}

// GetHostPart returns the part of a multi-host device that the main container
// of a running pod reports.
func GetHostPart(ctx context.Context, e *env.Env, pod string) subject.Part {
	ginkgo.GinkgoHelper()
	log, err := GetLog(ctx, e, pod, MainContainer)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	part, err := e.Subject.MultiHost.Part(log)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the container of pod %s should report its part of the device", pod)
	return part
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

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
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// CompletingContainer returns a copy of a workload container with another name,
// which exits after it has reported its devices.
func CompletingContainer(name string, like corev1.Container) corev1.Container {
	once := *like.DeepCopy()
	once.Name, once.Args = name, []string{"--once"}
	return once
}

// FailingContainer returns a copy of a workload container with another name, which exits with
// an error.
func FailingContainer(name string, like corev1.Container) corev1.Container {
	failing := *like.DeepCopy()
	failing.Name, failing.Args = name, []string{"--fail"}
	return failing
}

// ExpectContainerDevices asserts which devices a container of a pod reports. If
// the container was restarted, the report of its last instance counts. A spec
// that calls it declares what it needs to see.
func ExpectContainerDevices(ctx context.Context, e *env.Env, pod, container string, want []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	expectDevices(ctx, e, pod, container, want, fmt.Sprintf("container %s of pod %s should see the devices of the claims that it uses and no others", container, pod))
}

// expectMainContainerDevices asserts which devices the main container of a pod
// reports.
func expectMainContainerDevices(ctx context.Context, e *env.Env, pod string, want []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	expectDevices(ctx, e, pod, MainContainer, want, fmt.Sprintf("the container of pod %s should see the devices of its claim and no others", pod))
}

// expectDevices asserts which devices a container of a pod reports. Devices that
// a container cannot identify are assumed to be the wanted ones, unless the spec
// needs to see which ones they are. It does not apply to the driver then.
func expectDevices(ctx context.Context, e *env.Env, pod, container string, want []audit.DeviceID, why string) {
	ginkgo.GinkgoHelper()
	var seen subject.Seen
	gomega.Eventually(ctx, func(ctx context.Context) (_ []audit.DeviceID, err error) {
		if seen, err = getSeen(ctx, e, pod, container); err != nil || len(seen.OfPod) == 0 {
			return seen.Assuming(want), err
		}
		allocated, err := listAllocated(ctx, e, pod)
		return seen.For(want, allocated).Assuming(want), err
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.ConsistOf(want), "%s", why)
	if e.Sees == subject.Identified && len(seen.Unidentified) > 0 {
		position := e.Subject.Visible[seen.Unidentified[0]].Position
		e.NotApplicable("needs to see which devices a container has, only entries of containers with presence match: make one without presence match in " + position)
	}
}

// listAllocated returns the devices of the claims of a pod.
func listAllocated(ctx context.Context, e *env.Env, name string) (allocated []audit.DeviceID, err error) {
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get pod %s: %w", name, err)
	}
	for _, used := range ClaimNames(pod) {
		claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, used, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get claim %s: %w", used, err)
		}
		allocated = append(allocated, audit.Allocated(claim)...)
	}
	return allocated, nil
}

// getSeen returns what a container of a pod has reported so far.
func getSeen(ctx context.Context, e *env.Env, pod, container string) (subject.Seen, error) {
	log, err := GetLog(ctx, e, pod, container)
	if err != nil {
		return subject.Seen{}, err
	}
	return e.Subject.Seen(containerOf(ctx, e, pod, log))
}

// containerOf returns a container of a pod with a log.
func containerOf(ctx context.Context, e *env.Env, pod string, log []byte) subject.Container {
	return subject.Container{Log: log, Offered: func(driver string) (map[audit.DeviceID]resourceapi.Device, error) {
		return listDevicesOnNode(ctx, e, pod, driver)
	}}
}

// listDevicesOnNode returns the devices that the slices of a driver offer on
// the node of a pod.
func listDevicesOnNode(ctx context.Context, e *env.Env, name, driver string) (map[audit.DeviceID]resourceapi.Device, error) {
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get pod %s: %w", name, err)
	}
	node, err := e.Client.CoreV1().Nodes().Get(ctx, pod.Spec.NodeName, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get node %s: %w", pod.Spec.NodeName, err)
	}
	published, err := devices.ListSlices(ctx, e, driver)
	if err != nil {
		return nil, err
	}
	inventory := audit.NewInventory(published)
	offered := map[audit.DeviceID]resourceapi.Device{}
	for _, slice := range published {
		for _, device := range slice.Spec.Devices {
			id := audit.DeviceID{Driver: driver, Pool: slice.Spec.Pool.Name, Device: device.Name}
			// The slice may belong to an older generation of the pool.
			if newest, ok := inventory.Device(id); ok && len(inventory.NotOn(node, []audit.DeviceID{id})) == 0 {
				offered[id] = newest
			}
		}
	}
	return offered, nil
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
	var part subject.Part
	gomega.Eventually(ctx, func(ctx context.Context) error {
		log, err := GetLog(ctx, e, pod, MainContainer)
		if err == nil {
			part, err = e.Subject.MultiHost.Part(containerOf(ctx, e, pod, log))
		}
		return err
	}).WithTimeout(e.Timeouts.Response).Should(gomega.Succeed(), "the container of pod %s should report its part of the device", pod)
	return part
}

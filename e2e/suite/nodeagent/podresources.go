// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// WaitForPodResources waits until the kubelet's PodResources API lists the claim of
// a pod for one of its containers, with the devices that the driver returned for
// the claim and no others, and no claims for the other containers. answers are
// those of the driver, which may omit devices.
func WaitForPodResources(ctx context.Context, e *env.Env, p Plugin, pod, container string, claim Claim, answers Answers) {
	ginkgo.GinkgoHelper()
	waitForPodResources(ctx, e, p, operations.PodRequest{Namespace: e.Namespace, Name: pod}, container, claim, answers)
}

// WaitForPodResourcesByGet is [WaitForPodResources] by the method Get, which returns one
// pod, instead of List.
func WaitForPodResourcesByGet(ctx context.Context, e *env.Env, p Plugin, pod, container string, claim Claim, answers Answers) {
	ginkgo.GinkgoHelper()
	waitForPodResources(ctx, e, p, operations.PodRequest{Namespace: e.Namespace, Name: pod, Get: true}, container, claim, answers)
}

func waitForPodResources(ctx context.Context, e *env.Env, p Plugin, of operations.PodRequest, container string, claim Claim, answers Answers) {
	ginkgo.GinkgoHelper()
	pod := of.Name
	ginkgo.By(fmt.Sprintf("reading what the kubelet of node %s lists of pod %s", p.Node, pod))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		listed, err := readPodResources(ctx, e, p, of)
		switch {
		case err != nil:
			return err
		case !listed.Listed:
			return fmt.Errorf("pod %s is not in the list", pod)
		}
		var errs []error
		for _, one := range listed.Containers {
			if one.Name == container {
				errs = append(errs, checkListed(one, p, claim, answers))
			} else if len(one.Claims) > 0 {
				errs = append(errs, fmt.Errorf("container %s, which uses no claim, has %v", one.Name, one.Claims))
			}
		}
		if !slices.ContainsFunc(listed.Containers, func(one operations.ContainerResources) bool { return one.Name == container }) {
			errs = append(errs, fmt.Errorf("container %s is not in the list", container))
		}
		return errors.Join(errs...)
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "the kubelet of node %s should list the devices of claim %s for container %s of pod %s", p.Node, claim.Name, container, pod)
}

// WaitForNoPodResources waits until the kubelet's PodResources API does not list a
// pod.
func WaitForNoPodResources(ctx context.Context, e *env.Env, p Plugin, pod string) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) (operations.PodResources, error) {
		return readPodResources(ctx, e, p, operations.PodRequest{Namespace: e.Namespace, Name: pod})
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.HaveField("Listed", false), "the kubelet of node %s should not list pod %s, which is gone", p.Node, pod)
}

// WaitForEachListedOnce waits until the kubelet's PodResources API lists as many devices of a
// driver for the containers of a pod, each once. It is for devices that one claim has.
func WaitForEachListedOnce(ctx context.Context, e *env.Env, p Plugin, pod string, devices int) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("reading how often the kubelet of node %s lists the devices of pod %s", p.Node, pod))
	gomega.Eventually(ctx, func(ctx context.Context) (map[string]int, error) {
		listed, err := readPodResources(ctx, e, p, operations.PodRequest{Namespace: e.Namespace, Name: pod})
		times := map[string]int{}
		for _, container := range listed.Containers {
			for _, claim := range container.Claims {
				for _, device := range claim.Devices {
					times[claim.Name+": "+deviceKey(device.Pool, device.Device.Device, device.ShareID)]++
				}
			}
		}
		return times, err
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.And(gomega.HaveLen(devices), gomega.HaveEach(1)), "the kubelet of node %s should list each of the %d devices of pod %s once", p.Node, devices, pod)
}

func readPodResources(ctx context.Context, e *env.Env, p Plugin, of operations.PodRequest) (operations.PodResources, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return e.Agent.PodResources(ctx, p.Node, of)
}

// checkListed compares what is listed of a container with the allocation of the
// only claim that it uses. A kubelet may list a CDI device for several devices of
// the claim: they reach the container together.
func checkListed(container operations.ContainerResources, p Plugin, claim Claim, answers Answers) error {
	if len(container.Claims) != 1 || container.Claims[0].Namespace != claim.Namespace || container.Claims[0].Name != claim.Name {
		return fmt.Errorf("container %s should have claim %s/%s and no others, and has %v", container.Name, claim.Namespace, claim.Name, container.Claims)
	}
	allocated, want, got, cdi := claim.of(p.Driver), map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, device := range answers[claim.UID] {
		want[deviceKey(device.Pool, device.Device, device.ShareID)] = true
	}
	for _, device := range container.Claims[0].Devices {
		if device.Driver != p.Driver {
			return fmt.Errorf("device %s of claim %s is listed with driver %s", device.Device.Device, claim.Name, device.Driver)
		}
		key := deviceKey(device.Pool, device.Device.Device, device.ShareID)
		if !allocated[key] {
			return fmt.Errorf("claim %s is listed with device %s, which is not allocated to it", claim.Name, key)
		}
		got[key] = true
		for _, name := range device.CDIDevices {
			cdi[name] = true
		}
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("claim %s is listed with the devices %v, and the driver returned %v", claim.Name, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	if listed := slices.Sorted(maps.Keys(cdi)); !slices.Equal(listed, answers.CDIDevices()) {
		return fmt.Errorf("claim %s is listed with the CDI devices %v, and the driver returned %v", claim.Name, listed, answers.CDIDevices())
	}
	return nil
}

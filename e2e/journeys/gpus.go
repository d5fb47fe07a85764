// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"embed"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

//go:embed data/*.yaml
var data embed.FS

// loadDevices returns the devices of a file in the folder data.
func loadDevices(name string) *simulated.Inventory {
	content, err := data.ReadFile("data/" + name + ".yaml")
	if err != nil {
		panic(err) // The file is embedded.
	}
	inventory, err := simulated.Compile(content)
	if err != nil {
		panic(fmt.Sprintf("file %s.yaml of the folder data: %v", name, err))
	}
	return inventory
}

// gpuNodes are simulated nodes. Each has a GPU with partitions, and devices
// that need no feature except DRA itself.
type gpuNodes struct{ *simulated.Nodes }

// createGPUNodes creates the nodes and publishes all devices.
func createGPUNodes(ctx context.Context, r *journey.Run, count int) *gpuNodes {
	ginkgo.GinkgoHelper()
	n := createPlainNodes(ctx, r, count)
	n.publishGPUs(ctx)
	return n
}

// createPlainNodes creates the nodes and publishes their plain devices only.
func createPlainNodes(ctx context.Context, r *journey.Run, count int) *gpuNodes {
	ginkgo.GinkgoHelper()
	n := &gpuNodes{simulated.CreateNodes(ctx, r.Env, count)}
	for _, node := range n.Names {
		n.CreatePool(ctx, simulated.Pool{Node: node, Name: node + "-plain"}, loadDevices("plain"))
	}
	return n
}

// publishGPUs publishes the GPUs in the layout that the API server accepts.
func (n *gpuNodes) publishGPUs(ctx context.Context) {
	ginkgo.GinkgoHelper()
	for _, node := range n.Names {
		n.CreatePool(ctx, simulated.Pool{Node: node, Name: node + "-gpu"}, loadDevices("gpu"))
	}
}

// deleteGPUs deletes the slices of the GPUs.
func (n *gpuNodes) deleteGPUs(ctx context.Context) {
	ginkgo.GinkgoHelper()
	for _, node := range n.Names {
		n.DeleteSlices(ctx, node+"-gpu", 0)
	}
}

// updateGPUs updates a label of the slices of the GPUs and returns the result
// of each update.
func (n *gpuNodes) updateGPUs(ctx context.Context, r *journey.Run) []error {
	ginkgo.GinkgoHelper()
	var errs []error
	for _, node := range n.Names {
		for _, slice := range n.GetSlices(ctx, node+"-gpu") {
			slice.Labels["draconform.dev/updated"] = ""
			_, err := r.Client.ResourceV1().ResourceSlices().Update(ctx, &slice, metav1.UpdateOptions{})
			errs = append(errs, err)
		}
	}
	return errs
}

// expectUpdatesAccepted asserts that the API server accepts updates of the
// GPUs.
func (n *gpuNodes) expectUpdatesAccepted(ctx context.Context, r *journey.Run) {
	ginkgo.GinkgoHelper()
	gomega.Expect(n.updateGPUs(ctx, r)).To(gomega.HaveEach(gomega.BeNil()), "the API server should accept updates of stored slices")
}

// partition requests a partition with the given memory, such as 1Gi.
func (n *gpuNodes) partition(memory string) []devices.Request {
	return n.deviceWith("memory", memory)
}

// plain requests a plain device.
func (n *gpuNodes) plain() []devices.Request { return n.deviceWith("disk", "1Gi") }

func (n *gpuNodes) deviceWith(capacity, value string) []devices.Request {
	capacities := fmt.Sprintf("device.capacity[%q]", n.Driver)
	selector := fmt.Sprintf("%q in %s && %s.%s.compareTo(quantity(%q)) == 0", capacity, capacities, capacities, capacity, value)
	return []devices.Request{{Name: "device", Device: n.Device(selector)}}
}

// createScheduledPod creates a pod and waits until it is scheduled.
func createScheduledPod(ctx context.Context, r *journey.Run, name string, requests []devices.Request) {
	ginkgo.GinkgoHelper()
	pods.CreateWithRequests(ctx, r.Env, name, requests)
	pods.WaitForScheduled(ctx, r.Env, name)
}

// createCheckedPod creates a pod, waits until it is scheduled, and checks it
// after each step.
func createCheckedPod(ctx context.Context, r *journey.Run, name string, requests []devices.Request) {
	ginkgo.GinkgoHelper()
	createScheduledPod(ctx, r, name, requests)
	r.CheckAfterEachStep(ctx, name)
}

// Components that steps change separately.
var (
	apiServer = []skew.Component{skew.APIServer}
	scheduler = []skew.Component{skew.Scheduler}
	// deviceGateComponents are the components that depend on the gates of
	// device features.
	deviceGateComponents    = []skew.Component{skew.APIServer, skew.Scheduler}
	controllersAndScheduler = []skew.Component{skew.ControllerManager, skew.Scheduler}
	controlPlane            = []skew.Component{skew.APIServer, skew.ControllerManager, skew.Scheduler}
)

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/publish"
	"github.com/draconform/draconform/fakedriver/topology"
)

// initialObjects returns the objects of the options, the nodes, and the
// DeviceClasses and ResourceSlices of the drivers.
func initialObjects(o Options) ([]runtime.Object, error) {
	objects := slices.Clip(o.Objects)
	for i := range o.Nodes {
		node := newNode(nodeName(i))
		node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"}
		objects = append(objects, node)
	}
	gpu := "a100-40gb"
	if o.WithoutPartitions {
		gpu = "l4"
	}
	gpus, gpuErr := nodeDevices(o.Driver, gpu, o.GPUs, o.Nodes, o.Form, o.SkipsNodeOperations)
	nics, nicErr := nodeDevices(o.NIC, "nic", 2, o.Nodes, publish.SeparateCounters, nil)
	tpus, tpuErr := multiHostDevices(o)
	return slices.Concat(objects, gpus, nics, tpus), errors.Join(gpuErr, nicErr, tpuErr)
}

// newNode returns a node that is ready.
func newNode(name string) *corev1.Node {
	labels := map[string]string{corev1.LabelHostname: name, corev1.LabelOSStable: string(corev1.Linux), corev1.LabelArchStable: "amd64"}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
}

// nodeDevices returns the DeviceClass of a driver, and its ResourceSlices with
// the same number of devices of a model on each node. There are none without a
// driver.
func nodeDevices(driver, name string, devices, nodes int, form publish.Form, skips []resourceapi.SkipNodeOperation) ([]runtime.Object, error) {
	if driver == "" {
		return nil, nil
	}
	described, err := model.Load(name)
	if err != nil {
		return nil, err
	}
	objects := []runtime.Object{classOf(driver)}
	for i := range nodes {
		node := nodeName(i)
		for _, slice := range publish.NodeObjects(driver, node, publish.Slices(described.Inventory(node, devices), form)) {
			slice.Spec.SkipNodeOperations = skips
			objects = append(objects, slice)
		}
	}
	return objects, nil
}

// multiHostTopology is the topology that a multi-host driver publishes. Host 0
// is the first node.
const multiHostTopology = "4x4"

// multiHostDevices returns the DeviceClass and the ResourceSlices of a
// multi-host driver. There are none without a driver.
func multiHostDevices(o Options) ([]runtime.Object, error) {
	if o.TPU == "" {
		return nil, nil
	}
	published, err := multiHostSlices(o, nil)
	if err != nil {
		return nil, err
	}
	objects := []runtime.Object{classOf(o.TPU)}
	for _, slice := range published {
		objects = append(objects, slice)
	}
	return objects, nil
}

// multiHostSlices returns the ResourceSlices of a multi-host driver. Some hosts are
// missing.
func multiHostSlices(o Options, missing []int) ([]*resourceapi.ResourceSlice, error) {
	described, err := topology.Load(multiHostTopology)
	if err != nil {
		return nil, err
	}
	nodes := topology.Nodes{Label: corev1.LabelHostname, Values: map[int]string{}}
	for host := range described.Hosts() {
		if o.TaintsWithdrawn || !slices.Contains(missing, host) {
			nodes.Values[host] = nodeName(host)
		}
	}
	pool := described.Pool(nodes)
	if o.TaintsWithdrawn {
		taintHosts(pool, described, missing)
	}
	layout, err := pool.Slices(publish.SeparateCounters)
	if err != nil {
		return nil, err
	}
	published := publish.Objects(o.TPU, described.Name(), layout)
	for _, slice := range published {
		if o.Mistakes.MispublishesHosts != nil {
			o.Mistakes.MispublishesHosts(&slice.Spec)
		}
	}
	return published, nil
}

// taintHosts taints the devices of a pool that span some hosts.
func taintHosts(pool *topology.Pool, of *topology.Topology, hosts []int) {
	for i := range pool.Devices {
		device := &pool.Devices[i]
		for _, host := range hosts {
			if _, spans := of.Host(host).Parts[device.Name]; spans {
				device.Taints = []resourceapi.DeviceTaint{{Key: "example.com/withdrawn", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
			}
		}
	}
}

// classOf returns the DeviceClass that selects all devices of a driver.
func classOf(driver string) *resourceapi.DeviceClass {
	return &resourceapi.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: driver},
		Spec: resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{
			{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", driver)}},
		}},
	}
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i+1) }

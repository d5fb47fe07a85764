package fakecluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/fakedriver/publish"
	"github.com/draconform/draconform/fakedriver/topology"
)

// multiHostTopology is the topology that a multi-host driver publishes. Host 0
// is the first node.
const multiHostTopology = "4x4"

// multiHost returns the DeviceClass and the ResourceSlices of a multi-host
// driver.
func multiHost(driver string) ([]runtime.Object, error) {
	described, err := topology.Load(multiHostTopology)
	if err != nil {
		return nil, err
	}
	nodes := topology.Nodes{Label: corev1.LabelHostname, Values: map[int]string{}}
	for host := range described.Hosts() {
		nodes.Values[host] = nodeName(host)
	}
	layout, err := described.Pool(nodes).Slices(publish.SeparateCounters)
	if err != nil {
		return nil, err
	}
	objects := []runtime.Object{classOf(driver)}
	for _, slice := range publish.Objects(driver, described.Name(), layout) {
		objects = append(objects, slice)
	}
	return objects, nil
}

// part returns the part of a multi-host device that is on a node, or nil if
// there is none.
func (c *Cluster) part(device, node string) (*devenv.Part, error) {
	described, err := topology.Load(multiHostTopology)
	if err != nil {
		return nil, err
	}
	for number := range described.Hosts() {
		of, ok := described.Host(number).Parts[device]
		if !ok || nodeName(number) != node && !c.Mistakes.ShowsSamePart {
			continue
		}
		part := &devenv.Part{Shape: of.Shape, Host: slices.Index(of.Hosts, number), Chips: of.Chips}
		for _, host := range of.Hosts {
			part.Hosts = append(part.Hosts, nodeName(host))
		}
		return part, nil
	}
	return nil, nil
}

package fakecluster

import (
	"context"
	"errors"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/publish"
)

// networkInterfaces returns the DeviceClass and the ResourceSlices of a driver
// whose devices can be shared by claims.
func networkInterfaces(driver string, nodes int) ([]runtime.Object, error) {
	nic, err := model.Load("nic")
	if err != nil {
		return nil, err
	}
	objects := []runtime.Object{classOf(driver)}
	for i := range nodes {
		node := nodeName(i)
		for _, slice := range publish.NodeObjects(driver, node, publish.Slices(nic.Inventory(node, 2), publish.SeparateCounters)) {
			objects = append(objects, slice)
		}
	}
	return objects, nil
}

// Publish sets the affinity rules that the driver enforces, and annotates its
// ResourceSlices with the declared ones. The devices do not change.
func (d *Driver) Publish(_ context.Context, _ string, published control.Published) (control.Status, error) {
	c := d.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	d.published = published
	declared := map[string]affinity.Declaration{}
	for device, rule := range published.Affinity {
		if rule.Declared {
			declared[device] = rule.Declaration
		}
	}
	all, err := c.slices()
	if err != nil {
		return control.Status{}, err
	}
	for _, slice := range all {
		if slice.Spec.Driver != c.NIC || slice.Spec.NodeName == nil || *slice.Spec.NodeName != d.node {
			continue
		}
		changed, err := affinity.Annotate(slice, declared)
		if err == nil && changed {
			err = c.update(slicesOf, slice)
		}
		if err != nil {
			return control.Status{}, err
		}
	}
	c.changes++
	return control.Status{Published: published}, nil
}

// admits returns an error if the affinity rules do not permit the driver to
// prepare a claim.
func (d *Driver) admits(name types.NamespacedName) error {
	if d.cluster.Mistakes.AdmitsAll {
		return nil
	}
	claim, err := d.cluster.allocated(name)
	if err != nil {
		return err
	}
	for _, result := range claim.Results {
		rule, ok := d.published.Affinity[result.Device]
		if !ok || result.Driver != d.cluster.NIC {
			continue
		}
		values, err := rule.Admit(claim.Config, result.Request)
		if err == nil && !d.cluster.Mistakes.AdmitsContradictions {
			err = rule.Contradiction(result.Driver, claim.Config, result.Request, values)
		}
		for other := range d.stated[result.Device] {
			err = errors.Join(err, rule.Meet(d.stated[result.Device][other], values))
		}
		if err != nil {
			return fmt.Errorf("device %s: %w", result.Device, err)
		}
		if d.stated[result.Device] == nil {
			d.stated[result.Device] = map[types.NamespacedName]map[string]string{}
		}
		d.stated[result.Device][name] = values
	}
	return nil
}

// forgets removes the affinity values of a claim from all devices.
func (d *Driver) forgets(name types.NamespacedName) {
	if d.cluster.Mistakes.KeepsValues {
		return
	}
	for _, claims := range d.stated {
		delete(claims, name)
	}
}

// allocated returns the allocated devices of a claim.
func (c *Cluster) allocated(name types.NamespacedName) (resourceapi.DeviceAllocationResult, error) {
	o, err := c.clientset.Tracker().Get(claims, name.Namespace, name.Name)
	if err != nil {
		return resourceapi.DeviceAllocationResult{}, err
	}
	return o.(*resourceapi.ResourceClaim).Status.Allocation.Devices, nil
}

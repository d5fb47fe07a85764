package fakecluster

import (
	"fmt"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
)

// wipeDelay is the time after which a kubelet removes the ResourceSlices of a
// driver that has unregistered. A pod can be scheduled within that time.
const wipeDelay = 1500 * time.Millisecond

// absence is the state of a stopped driver on its node.
type absence struct {
	since time.Time
	// wiped are the ResourceSlices that the kubelet has removed.
	wiped []*resourceapi.ResourceSlice
}

// StopDriver stops the driver on a node.
func (c *Cluster) StopDriver(node string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.absent[node] = &absence{since: time.Now()}
	return nil
}

// StartDriver starts the driver on a node again. The driver publishes the
// ResourceSlices that the kubelet removed.
func (c *Cluster) StartDriver(node string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.absent[node]
	if a == nil {
		return nil
	}
	delete(c.absent, node)
	c.restarts[restartable{"driver", node}]++
	c.driverOn(node).calls, c.driverOn(node).faults = nil, nil
	c.changes++
	if c.Mistakes.NeverRepublishes {
		return nil
	}
	for _, slice := range a.wiped {
		if err := c.clientset.Tracker().Create(slicesOf, slice, ""); err != nil {
			return err
		}
	}
	return nil
}

// IsStopped reports whether the driver on a node is stopped.
func (c *Cluster) IsStopped(node string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.absent[node] != nil
}

// notThere returns the error of a kubelet's call to the driver if the driver is
// stopped, and nil otherwise.
func (c *Cluster) notThere(node string) error {
	switch {
	case c.absent[node] == nil:
		return nil
	case c.Mistakes.NamesNoDriver:
		return fmt.Errorf("a driver is not registered")
	}
	return fmt.Errorf("driver %s is not registered", c.Driver)
}

// wipe removes the ResourceSlices of stopped drivers once wipeDelay has passed.
func (c *Cluster) wipe() error {
	for node, a := range c.absent {
		if a.wiped != nil || c.Mistakes.KeepsSlices || time.Since(a.since) < wipeDelay {
			continue
		}
		all, err := c.slices()
		if err != nil {
			return err
		}
		a.wiped = slices.DeleteFunc(all, func(s *resourceapi.ResourceSlice) bool {
			return s.Spec.Driver != c.Driver || s.Spec.NodeName == nil || *s.Spec.NodeName != node
		})
		for _, slice := range a.wiped {
			if err := c.remove(slicesOf, slice); err != nil {
				return err
			}
		}
		c.changes++
	}
	return nil
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// removalDelay is the time after which a kubelet removes the ResourceSlices of
// a driver that has unregistered. A pod can be scheduled within that time.
const removalDelay = 1500 * time.Millisecond

// stoppedDriver is the state of a stopped driver on its node.
type stoppedDriver struct {
	since time.Time
	// removed are the ResourceSlices that the kubelet has removed.
	removed []*resourceapi.ResourceSlice
}

// StopDriver stops the driver on a node.
func (c *Cluster) StopDriver(node string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped[node] = &stoppedDriver{since: time.Now()}
	return nil
}

// StartDriver starts the driver on a node again. The driver publishes the
// ResourceSlices that the kubelet removed.
func (c *Cluster) StartDriver(node string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	stopped := c.stopped[node]
	if stopped == nil {
		return nil
	}
	delete(c.stopped, node)
	c.restarts[component{"driver", node}]++
	c.driverOn(node).calls, c.driverOn(node).faults = nil, nil
	if c.Mistakes.NeverRepublishes {
		return nil
	}
	for _, slice := range stopped.removed {
		if err := c.store(slicesOf, slice); err != nil {
			return err
		}
	}
	return nil
}

// IsStopped reports whether the driver on a node is stopped.
func (c *Cluster) IsStopped(node string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped[node] != nil
}

// errStopped returns the error of a kubelet's call to the driver if the driver
// is stopped, and nil otherwise.
func (c *Cluster) errStopped(node string) error {
	if c.stopped[node] == nil {
		return nil
	}
	return fmt.Errorf("driver %s is not registered", c.Driver)
}

// removeSlices removes the ResourceSlices of stopped drivers once removalDelay
// has passed.
func (c *Cluster) removeSlices() error {
	if err := c.removeReturnedSlices(); err != nil {
		return err
	}
	for node, stopped := range c.stopped {
		if stopped.removed != nil || c.Mistakes.KeepsSlices || time.Since(stopped.since) < removalDelay {
			continue
		}
		var err error
		if stopped.removed, err = c.slicesOn(c.Driver, node); err != nil {
			return err
		}
		others, err := c.otherSlices(node)
		if err != nil {
			return err
		}
		if err := c.removeEach(slices.Concat(stopped.removed, others)); err != nil {
			return err
		}
	}
	return nil
}

// removeReturnedSlices removes the ResourceSlices of restarted drivers as a faulty kubelet does, once
// removalDelay has passed.
func (c *Cluster) removeReturnedSlices() error {
	for node, since := range c.returned {
		if !c.Mistakes.RemovesReturnedSlices || time.Since(since) < removalDelay {
			continue
		}
		delete(c.returned, node)
		published, err := c.slicesOn(c.Driver, node)
		if err != nil {
			return err
		}
		if err := c.removeEach(published); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) removeEach(published []*resourceapi.ResourceSlice) error {
	for _, slice := range published {
		if err := c.remove(slicesOf, slice); err != nil {
			return err
		}
	}
	return nil
}

// otherSlices returns the ResourceSlices of other drivers that a faulty kubelet removes.
func (c *Cluster) otherSlices(node string) ([]*resourceapi.ResourceSlice, error) {
	all, err := c.slices()
	return slices.DeleteFunc(all, func(s *resourceapi.ResourceSlice) bool {
		return c.Mistakes.RemovesOtherSlices == nil || s.Spec.Driver == c.Driver || !c.Mistakes.RemovesOtherSlices(s, node)
	}), err
}

// slicesOn returns the ResourceSlices of a driver for a node.
func (c *Cluster) slicesOn(driver, node string) ([]*resourceapi.ResourceSlice, error) {
	all, err := c.slices()
	return slices.DeleteFunc(all, func(s *resourceapi.ResourceSlice) bool {
		return s.Spec.Driver != driver || ptr.Deref(s.Spec.NodeName, "") != node
	}), err
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/calls"
	fakeclaims "github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/devenv"
)

// DriverOn returns the driver's pod on a node.
func (c *Cluster) DriverOn(node string) *Driver {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.driverOn(node)
}

func (c *Cluster) driverOn(node string) *Driver {
	if c.drivers[node] == nil {
		c.drivers[node] = &Driver{cluster: c, node: node, prepared: map[types.NamespacedName]types.UID{}, devices: map[types.UID][]heldDevice{}, preparations: map[string]int{}, preparedAfter: map[types.UID]int{}, lost: map[types.UID]bool{}, failed: map[types.UID]bool{}, halfway: map[types.UID]bool{}, full: map[types.UID]bool{}, known: map[types.UID]*resourceapi.ResourceClaim{}, revived: map[types.UID][]heldDevice{}, original: map[string][]resourceapi.Device{}, injected: map[string]bool{}, values: map[string]map[types.NamespacedName]map[string]string{}, configured: map[string][]devenv.Config{}}
	}
	return c.drivers[node]
}

// Driver is the driver on a node. The mutex of its cluster guards its fields.
type Driver struct {
	cluster *Cluster
	node    string
	// missing is set if the driver did not come back after a restart of its
	// node.
	missing bool
	// prepared are the UIDs of the claims that are prepared.
	prepared map[types.NamespacedName]types.UID
	// devices are the devices of the prepared claims, of all drivers, for which
	// there are CDI files.
	devices map[types.UID][]heldDevice
	// preparations counts how often claims were prepared after they were not, by UID and
	// driver.
	preparations map[string]int
	// preparedAfter has the number of restarts before claims were prepared, by UID.
	preparedAfter map[types.UID]int
	// lost are the claims whose CDI files were removed by another component.
	lost map[types.UID]bool
	// known are the claims that were prepared before.
	known map[types.UID]*resourceapi.ResourceClaim
	// canceled counts the canceled calls. busy is set if the driver rejects
	// calls because of one.
	canceled int
	busy     bool
	// busyUnpreparing is busy for calls to unprepare claims.
	busyUnpreparing bool
	// revived are the devices of unprepared claims that the next process has again.
	revived map[types.UID][]heldDevice
	calls   []calls.Call
	faults  []injectedFault
	// injected are the IDs of all faults so far. requests counts the requests for them.
	injected map[string]bool
	requests int
	// unprepared are the UIDs of unprepared claims.
	unprepared []string
	// health is the argument of the last call of SetHealth.
	health control.Health
	// published is the argument of the last call of Publish.
	published control.Published
	// atFirst are the slices that it replaced first.
	atFirst []*resourceapi.ResourceSlice
	// disk is the argument of the last call of SetDisk.
	disk fakeclaims.Disk
	// failed are the UIDs of the claims that could not be prepared because of it.
	failed map[types.UID]bool
	// halfway are the UIDs of the claims whose CDI files are removed, and of which the
	// driver could not store that they are not prepared any more.
	halfway map[types.UID]bool
	// full are the UIDs of the claims with shares that the driver takes for the whole
	// device.
	full map[types.UID]bool
	// original are the devices of ResourceSlices, by name, before the driver
	// published their use.
	original map[string][]resourceapi.Device
	// configured are the last parameters for devices, by name.
	configured map[string][]devenv.Config
	// values are the affinity values of the claims that share a device, by
	// device name.
	values map[string]map[types.NamespacedName]map[string]string
}

// Exit restarts the driver.
func (d *Driver) Exit(context.Context) error {
	c := d.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Mistakes.NeverReturns {
		return nil
	}
	c.restarts[component{"driver", d.node}]++
	c.returned[d.node] = time.Now()
	d.health = nil
	maps.Copy(d.devices, d.revived)
	number := c.restarts[component{"driver", d.node}]
	for uid := range d.devices {
		loses := c.Mistakes.LosesAtRestart
		d.lost[uid] = d.lost[uid] || c.Mistakes.RestartLosesFiles || loses != nil && loses(number, d.preparedAfter[uid])
		d.full[uid] = c.Mistakes.RestartFillsDevices
	}
	d.forgetRemoved()
	if err := errors.Join(c.republish(d.node), d.publishUseBy(c.Mistakes.RestartPublishesUse)); err != nil {
		return err
	}
	if c.Mistakes.RestartEndsPods {
		return c.restartContainers(d.node, "driver")
	}
	return nil
}

// Status returns the claims that the driver has prepared.
func (d *Driver) Status(_ context.Context, driver string) (control.Status, error) {
	c := d.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	restarts := c.restarts[component{"driver", d.node}]
	status := control.Status{Driver: driver, Published: d.published}
	if !d.missing {
		status.Process, status.Registered = fmt.Sprintf("process %d", restarts), true
	}
	if c.Mistakes.RestartForgets && restarts > 0 {
		return status, nil
	}
	for claim := range maps.Keys(d.prepared) {
		status.Claims = append(status.Claims, claim.String())
	}
	slices.Sort(status.Claims)
	status.Described = slices.Clone(status.Claims)
	if c.Mistakes.LeavesFiles {
		status.Described = append(status.Described, d.unprepared...)
	}
	if c.Mistakes.LeavesPartsOfFiles {
		for uid := range d.failed {
			status.Described = append(status.Described, string(uid))
		}
	}
	return status, nil
}

// Inject adds a fault for future calls, unless it has the ID of an earlier one.
func (d *Driver) Inject(_ context.Context, driver string, fault calls.Fault) error {
	if err := fault.Validate(); err != nil {
		return err
	}
	d.cluster.mu.Lock()
	defer d.cluster.mu.Unlock()
	d.requests++
	if !d.injected[fault.ID] {
		d.faults = append(d.faults, injectedFault{fault, driver})
		d.injected[fault.ID] = fault.ID != ""
	}
	if d.cluster.LosesAnswers && d.requests%2 == 1 {
		return errors.New("the answer is lost")
	}
	return nil
}

// Release removes all faults. A hanging call is answered at the kubelet's next
// retry, because the kubelet does not block here.
func (d *Driver) Release(context.Context, string) error {
	d.cluster.mu.Lock()
	defer d.cluster.mu.Unlock()
	d.faults = nil
	return nil
}

// Calls returns the calls that a driver received after the one with the given
// sequence number.
func (d *Driver) Calls(_ context.Context, driver string, after int) ([]calls.Call, error) {
	c := d.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	var all []calls.Call
	for _, call := range d.calls[after:] {
		// Every driver of the node is imitated by d.
		call.Claims = slices.DeleteFunc(slices.Clone(call.Claims), func(claim calls.Claim) bool { return d.isForOthers(claim, driver) })
		if len(call.Claims) > 0 {
			all = append(all, call)
		}
	}
	return all, nil
}

// isForOthers reports whether a claim has only devices of other drivers, for which
// a kubelet does not call the driver.
func (d *Driver) isForOthers(claim calls.Claim, driver string) bool {
	known := d.known[types.UID(claim.UID)]
	if known == nil || known.Status.Allocation == nil || d.cluster.Mistakes.CallsAllDrivers {
		return false
	}
	return !slices.ContainsFunc(known.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool { return r.Driver == driver })
}

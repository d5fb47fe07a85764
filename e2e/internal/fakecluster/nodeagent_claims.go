// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// prepareFor prepares the devices of one of the drivers.
func (d *Driver) prepareFor(driver string, reference api.Claim) ([]api.Device, error) {
	name, uid := types.NamespacedName{Namespace: reference.Namespace, Name: reference.Name}, types.UID(reference.UID)
	mistakes := d.cluster.Mistakes
	claim, err := d.cluster.claim(name)
	if mistakes.PreparesDeleted && d.known[uid] != nil {
		claim, err = d.known[uid], nil
	}
	switch {
	case err != nil:
		return nil, err
	case claim.DeletionTimestamp != nil && mistakes.RejectsEnding:
		return nil, fmt.Errorf("claim %s is being deleted", name)
	case claim.Status.Allocation == nil && !mistakes.PreparesUnallocated:
		return nil, fmt.Errorf("claim %s not allocated", name)
	case claim.UID != uid && !mistakes.IgnoresUIDs:
		return nil, fmt.Errorf("claim %s got replaced", name)
	}
	_, isPrepared := d.prepared[name]
	if isPrepared && mistakes.PreparesOnce {
		return nil, fmt.Errorf("claim %s is prepared already", name)
	}
	if err := d.refuse(name, uid); err != nil {
		return nil, err
	}
	d.prepared[name] = uid
	d.hold(claim, uid, driver, isPrepared && mistakes.PreparesOthersAgain)
	var devices []api.Device
	for _, held := range d.devices[uid] {
		if held.driver == driver || mistakes.ReturnsAllDrivers {
			devices = append(devices, held.Device)
		}
	}
	if mistakes.RenewsStatus {
		return devices, d.reportStatus(claim)
	}
	return devices, nil
}

// unprepareFor unprepares the devices of one of the drivers.
func (d *Driver) unprepareFor(driver string, reference api.Claim) error {
	name, uid := types.NamespacedName{Namespace: reference.Namespace, Name: reference.Name}, types.UID(reference.UID)
	mistakes := d.cluster.Mistakes
	prepared, isPrepared := d.prepared[name]
	if mistakes.UnpreparesByName && isPrepared {
		uid = prepared
	}
	if !isPrepared && mistakes.UnpreparesOnce {
		return fmt.Errorf("claim %s is not prepared", name)
	}
	if _, err := d.cluster.claim(name); err != nil && isPrepared && mistakes.NeedsClaims {
		return fmt.Errorf("unprepare claim %s: %w", name, err)
	}
	if d.lost[uid] && isPrepared && mistakes.NeedsLostFiles {
		return fmt.Errorf("remove %s: no such file", cdiPath(uid))
	}
	if d.undoesNothing(name, uid) {
		return nil
	}
	if mistakes.UnpreparesAll {
		clear(d.prepared)
		clear(d.devices)
	}
	if mistakes.UnpreparesByDevice {
		d.dropUsersOf(d.known[uid])
	}
	if mistakes.NeverUnprepares {
		return nil
	}
	of := driver
	if mistakes.UnpreparesForOthers {
		of = ""
	}
	if !mistakes.LeavesFiles {
		d.drop(uid, of)
	}
	if uid == prepared && (len(d.devices[uid]) == 0 || mistakes.LeavesFiles) {
		delete(d.prepared, name)
	}
	return nil
}

// undoesNothing reports whether the driver does nothing to unprepare a claim, because it has
// refused to prepare it, or because an earlier process has prepared or refused it.
func (d *Driver) undoesNothing(claim types.NamespacedName, uid types.UID) bool {
	mistakes := d.cluster.Mistakes
	isEarlier := d.preparedAfter[uid] != d.cluster.restarts[component{"driver", d.node}]
	if _, isPrepared := d.prepared[claim]; !isPrepared && (mistakes.LeavesRefused || mistakes.RestartLeavesRefused && isEarlier) {
		return true
	}
	if mistakes.RestartUndoesNothing == nil || !isEarlier {
		return false
	}
	_, err := d.cluster.claim(claim)
	return mistakes.RestartUndoesNothing(err == nil)
}

// heldDevice is a prepared device of one of the drivers.
type heldDevice struct {
	driver string
	api.Device
}

// hold stores the devices of a claim as prepared, with their CDI devices. An
// empty driver means all drivers. again adds a suffix to the CDI devices.
func (d *Driver) hold(claim *resourceapi.ResourceClaim, uid types.UID, driver string, again bool) {
	d.known[claim.UID] = claim
	d.preparedAfter[uid] = d.cluster.restarts[component{"driver", d.node}]
	d.countPreparations(claim, uid, driver)
	d.drop(uid, driver)
	if !d.cluster.Mistakes.LosesFiles {
		delete(d.lost, uid)
	}
	for _, result := range resultsOf(claim, d.node) {
		if driver != "" && result.Driver != driver && !d.cluster.Mistakes.ReturnsAllDrivers {
			continue
		}
		share := string(ptr.Deref(result.ShareID, ""))
		of := string(uid)
		if d.cluster.Mistakes.NamesWithoutClaim {
			of = "any"
		}
		name := strings.TrimSuffix(fmt.Sprintf("fake.example.com/claim=%s-%s-%s", of, result.Device, share), "-")
		if again {
			name += "-again"
		}
		if d.cluster.WithoutShareIDs {
			share = ""
		}
		if d.cluster.RenamesCDI {
			name += fmt.Sprintf("-%d", d.preparations[string(uid)+result.Driver])
		}
		device := api.Device{Requests: []string{resourceclaim.BaseRequestRef(result.Request)}, Pool: result.Pool, Device: result.Device, ShareID: share}
		if !d.cluster.WithoutCDI {
			device.CDIDevices = []string{name}
		}
		d.devices[uid] = append(d.devices[uid], heldDevice{result.Driver, device})
	}
}

// countPreparations counts for each driver that a claim is prepared, unless it is
// already. An empty driver means all drivers.
func (d *Driver) countPreparations(claim *resourceapi.ResourceClaim, uid types.UID, driver string) {
	counted := map[string]bool{}
	for _, result := range resultsOf(claim, d.node) {
		isHeld := slices.ContainsFunc(d.devices[uid], func(h heldDevice) bool { return h.driver == result.Driver })
		if (driver == "" || driver == result.Driver) && !isHeld && !counted[result.Driver] {
			counted[result.Driver] = true
			d.preparations[string(uid)+result.Driver]++
		}
	}
}

// resultsOf returns the allocated devices of a claim. A claim that is not
// allocated has one device for a driver that does not check this.
func resultsOf(claim *resourceapi.ResourceClaim, node string) []resourceapi.DeviceRequestAllocationResult {
	if claim.Status.Allocation == nil {
		return []resourceapi.DeviceRequestAllocationResult{{Pool: node, Device: "gpu-0"}}
	}
	return claim.Status.Allocation.Devices.Results
}

// drop removes the devices of a driver, or all if driver is empty.
func (d *Driver) drop(uid types.UID, driver string) {
	d.devices[uid] = slices.DeleteFunc(d.devices[uid], func(h heldDevice) bool { return driver == "" || h.driver == driver || h.driver == "" })
	if len(d.devices[uid]) == 0 {
		delete(d.devices, uid)
	}
}

// dropUsersOf forgets the devices of all claims that have one of the devices that a claim had
// when it was prepared, which may be nil.
func (d *Driver) dropUsersOf(claim *resourceapi.ResourceClaim) {
	if claim == nil {
		return
	}
	for _, result := range resultsOf(claim, d.node) {
		for uid, devices := range d.devices {
			if slices.ContainsFunc(devices, func(h heldDevice) bool { return h.driver == result.Driver && h.Device.Device == result.Device }) {
				d.drop(uid, "")
			}
		}
	}
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/calls"
)

// call imitates a call of the kubelet for claims. It returns an error if the
// driver did not perform the call.
func (d *Driver) call(method string, claims ...use) error {
	if err := d.cluster.errStopped(d.node); err != nil {
		return err
	}
	call := d.pendingCall(method, claims[0].uid)
	if call == nil {
		call = d.newCall(method, claims)
	}
	i := slices.IndexFunc(d.faults, func(f injectedFault) bool { return isFor(f.Fault, call) && d.serves(f.driver, claims) })
	if i >= 0 && (d.faults[i].Action == calls.Hang || d.faults[i].Action == calls.Delay && time.Since(call.Start) < d.faults[i].Delay.Duration) {
		return errors.New("the driver has not answered")
	}
	now := time.Now()
	call.End = &now
	var fault injectedFault
	if i >= 0 {
		fault = d.faults[i]
		call.Fault = fault.Action
		if d.faults[i].Count--; d.faults[i].Count == 0 {
			d.faults = slices.Delete(d.faults, i, i+1)
		}
	}
	mistakes := d.cluster.Mistakes
	switch fault.Action {
	case "", calls.Delay:
		return d.performAll(call, claims)
	case calls.OmitCDIDevices, calls.OmitRequests:
		err := d.performAll(call, claims)
		d.omit(fault.Action, call, claims)
		return err
	case calls.Lose:
		if err := d.performAll(call, claims); err != nil {
			return err
		}
	case calls.FailClaims, calls.OmitClaims:
		first, err := d.failClaims(call, fault.Fault, claims)
		if err != nil {
			return err
		}
		if ignores := mistakes.IgnoresOtherDrivers; ignores != nil && ignores(method) && d.firstDriver(claims[first]) != fault.driver {
			return nil
		}
		if fault.Action == calls.FailClaims && mistakes.IgnoresClaimErrors || fault.Action == calls.OmitClaims && mistakes.IgnoresOmitted || first > 0 && mistakes.ignoresLater(method) {
			return nil
		}
	default:
		call.Error = fault.Message
	}
	return errors.New(fault.Message)
}

// injectedFault is a fault in the calls of one of the drivers of a node.
type injectedFault struct {
	calls.Fault
	driver string
}

// serves reports whether a driver is called for any of the claims. Without an allocation, no
// claim is of other drivers.
func (d *Driver) serves(driver string, claims []use) bool {
	return slices.ContainsFunc(claims, func(u use) bool {
		claim, err := d.cluster.claim(u.claim)
		if err != nil || claim.Status.Allocation == nil {
			return true
		}
		return slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool { return r.Driver == driver })
	})
}

// firstDriver returns the driver of the first device of a claim.
func (d *Driver) firstDriver(u use) string {
	claim, err := d.cluster.claim(u.claim)
	if err != nil || claim.Status.Allocation == nil {
		return ""
	}
	return claim.Status.Allocation.Devices.Results[0].Driver
}

// omit removes what a driver with a fault omits from the answer to a call.
func (d *Driver) omit(what calls.Action, call *calls.Call, claims []use) {
	for i, u := range claims {
		if what == calls.OmitCDIDevices {
			call.Claims[i].CDIDevices = nil
		}
		for j := range d.devices[u.uid] {
			if device := &d.devices[u.uid][j]; what == calls.OmitCDIDevices {
				device.CDIDevices = nil
			} else {
				device.Requests = nil
			}
		}
	}
}

// ignoresLater reports whether a kubelet ignores the errors of claims of a call that are not
// the first one.
func (m *Mistakes) ignoresLater(method string) bool {
	return m.IgnoresLaterClaims || m.IgnoresLaterUnprepares && method == calls.Unprepare
}

// isFor reports whether a fault is for a call.
func isFor(fault calls.Fault, call *calls.Call) bool {
	return fault.Method == call.Method && (len(fault.Claims) == 0 || slices.ContainsFunc(call.Claims, func(c calls.Claim) bool { return slices.Contains(fault.Claims, c.Name) }))
}

// failClaims performs a call for those of its claims that a fault does not affect. It
// returns the index of the first claim that the fault affects.
func (d *Driver) failClaims(call *calls.Call, fault calls.Fault, claims []use) (first int, err error) {
	first = -1
	for i, u := range claims {
		if len(fault.Claims) > 0 && !slices.Contains(fault.Claims, u.claim.Name) {
			err = errors.Join(err, d.perform(call.Method, &call.Claims[i], u.claim, u.uid))
			continue
		}
		call.Claims[i].Error = fault.Message
		if first < 0 {
			first = i
		}
	}
	return first, err
}

// newCall records a call that the driver has not answered.
func (d *Driver) newCall(method string, claims []use) *calls.Call {
	call := calls.Call{Seq: len(d.calls) + 1, Method: method, Start: time.Now()}
	for _, u := range claims {
		claim := calls.Claim{Namespace: u.claim.Namespace, Name: u.claim.Name, UID: string(u.uid)}
		if d.cluster.Mistakes.Miscalls != nil {
			d.cluster.Mistakes.Miscalls(&claim)
		}
		call.Claims = append(call.Claims, claim)
	}
	if d.cluster.Mistakes.CallsForNeighbours && method == calls.Prepare {
		for _, name := range slices.SortedFunc(maps.Keys(d.prepared), func(a, b types.NamespacedName) int { return strings.Compare(a.String(), b.String()) }) {
			call.Claims = append(call.Claims, calls.Claim{Namespace: name.Namespace, Name: name.Name, UID: string(d.prepared[name])})
		}
	}
	d.calls = append(d.calls, call)
	return &d.calls[len(d.calls)-1]
}

// performAll performs a call for its claims.
func (d *Driver) performAll(call *calls.Call, claims []use) error {
	var errs []error
	for i, u := range claims {
		errs = append(errs, d.perform(call.Method, &call.Claims[i], u.claim, u.uid))
	}
	return errors.Join(append(errs, d.publishUse())...)
}

// perform performs a call for a claim and records the result.
func (d *Driver) perform(method string, result *calls.Claim, claim types.NamespacedName, uid types.UID) error {
	mistakes := d.cluster.Mistakes
	_, isPrepared := d.prepared[claim]
	if method == calls.Unprepare {
		d.discard(uid)
		if !isPrepared && mistakes.UnpreparesOnce {
			result.Error = "it is not prepared"
			return errors.New(result.Error)
		}
		if mistakes.NeedsDevices {
			if err := d.checkRemoved(uid); err != nil {
				result.Error = err.Error()
				return err
			}
		}
		if stored, err := d.storeUnprepared(claim, uid); !stored {
			if err != nil {
				result.Error = err.Error()
			}
			return err
		}
		if mistakes.UnpreparesAll {
			clear(d.prepared)
			clear(d.devices)
		}
		if !mistakes.NeverUnprepares {
			delete(d.prepared, claim)
			if !mistakes.LeavesFiles {
				d.drop(uid, "")
			}
			d.removeAffinity(claim)
			d.unprepared = append(d.unprepared, string(uid))
		}
		return nil
	}
	if isPrepared && mistakes.PreparesOnce {
		result.Error = "it is prepared already"
		return errors.New(result.Error)
	}
	if err := errors.Join(d.checkDrivers(claim), d.checkAffinity(claim), d.checkShares(claim, uid), d.store(claim, uid)); err != nil {
		result.Error = err.Error()
		return err
	}
	result.CDIDevices = []string{"fake.example.com/claim=" + string(uid)}
	if isPrepared && mistakes.PreparesOthersAgain {
		result.CDIDevices[0] += "-again"
	}
	d.prepared[claim] = uid
	if object, err := d.cluster.claim(claim); err == nil {
		d.hold(object, uid, "", isPrepared && mistakes.PreparesOthersAgain)
		for _, held := range d.devices[uid] {
			if held.ShareID != "" {
				result.Shares = append(result.Shares, held.ShareID)
			}
		}
		return d.reportStatus(object)
	}
	return nil
}

// checkDrivers returns an error for a claim with devices of several drivers, or
// parameters for them, if the driver does not ignore those of the others, and for
// one with shares that the driver does not tell apart, or with admin access.
func (d *Driver) checkDrivers(name types.NamespacedName) error {
	claim, err := d.cluster.claim(name)
	if err != nil {
		return nil //nolint:nilerr // A claim that does not exist is no claim of several drivers.
	}
	if claim.Status.Allocation == nil {
		return nil
	}
	results := claim.Status.Allocation.Devices.Results
	for _, config := range claim.Status.Allocation.Devices.Config {
		if d.cluster.Mistakes.RejectsOtherConfigs && config.Opaque.Driver != results[0].Driver {
			return fmt.Errorf("prepare claim %s: decode parameters of driver %s: unknown kind", name, config.Opaque.Driver)
		}
	}
	for i, result := range results {
		if d.cluster.RefusesAdminAccess && ptr.Deref(result.AdminAccess, false) {
			return fmt.Errorf("prepare claim %s: admin access is not supported", name)
		}
		isSame := func(other resourceapi.DeviceRequestAllocationResult) bool {
			return other.Pool == result.Pool && other.Device == result.Device && other.Request == result.Request
		}
		if d.cluster.Mistakes.ConfusesShares && slices.ContainsFunc(results[:i], isSame) {
			return fmt.Errorf("prepare claim %s: duplicate device %s", name, result.Device)
		}
	}
	if !d.cluster.Mistakes.RejectsOtherDrivers {
		return nil
	}
	for _, result := range results {
		if result.Driver != results[0].Driver {
			return fmt.Errorf("prepare claim %s: there is no device %s", name, result.Device)
		}
	}
	return nil
}

// pendingCall returns the call for a claim that the driver has not answered, or
// nil.
func (d *Driver) pendingCall(method string, uid types.UID) *calls.Call {
	for i := range d.calls {
		if call := &d.calls[i]; call.Method == method && call.End == nil && call.Claims[0].UID == string(uid) {
			return call
		}
	}
	return nil
}

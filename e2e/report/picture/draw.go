// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// Draw draws the pool of a driver, given all slices and claims. It returns nil
// if no slice is of the pool.
func Draw(driver, pool string, offered []*resourceapi.ResourceSlice, claims []*resourceapi.ResourceClaim) *Picture {
	d := &drawing{picture: Picture{Driver: driver, Pool: pool}, letters: map[string]string{}}
	d.read(offered)
	if d.slices == 0 {
		return nil
	}
	d.hold(claims)
	for _, set := range d.sets {
		d.addSet(set)
	}
	d.addShared()
	d.addDevices()
	if more := len(d.picture.Rows) - maxRows; more > 0 {
		d.picture.Rows, d.picture.More = d.picture.Rows[:maxRows], more
	}
	return &d.picture
}

// drawing is the state of [Draw].
type drawing struct {
	picture Picture
	slices  int
	sets    []resourceapi.CounterSet
	devices []resourceapi.Device
	// holders are the results of claims that hold devices of the pool, in the
	// order of the devices. Devices that no slice has are last.
	holders []holder
	letters map[string]string
}

// holder is a device, or a share of one, that a claim holds.
type holder struct {
	device string
	claim  string
	share  string
	result *resourceapi.DeviceRequestAllocationResult
}

// read collects the content of the pool's newest generation.
func (d *drawing) read(offered []*resourceapi.ResourceSlice) {
	var newest int64
	for _, s := range offered {
		if d.has(s) {
			newest = max(newest, s.Spec.Pool.Generation)
		}
	}
	for _, s := range offered {
		if d.has(s) && s.Spec.Pool.Generation == newest {
			d.slices++
			d.sets = append(d.sets, s.Spec.SharedCounters...)
			d.devices = append(d.devices, s.Spec.Devices...)
		}
	}
}

func (d *drawing) has(s *resourceapi.ResourceSlice) bool {
	return s.Spec.Driver == d.picture.Driver && s.Spec.Pool.Name == d.picture.Pool
}

// hold collects who holds devices of the pool. Admin access holds nothing (API
// DeviceRequestAllocationResult.adminAccess).
func (d *drawing) hold(claims []*resourceapi.ResourceClaim) {
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			r := &claim.Status.Allocation.Devices.Results[i]
			if r.Driver != d.picture.Driver || r.Pool != d.picture.Pool || ptr.Deref(r.AdminAccess, false) {
				continue
			}
			name := strings.TrimPrefix(claim.Namespace+"/"+claim.Name, "/")
			d.holders = append(d.holders, holder{r.Device, name, string(ptr.Deref(r.ShareID, "")), r})
		}
	}
	order := map[string]int{}
	for i, device := range d.devices {
		order[device.Name] = i - len(d.devices)
	}
	slices.SortStableFunc(d.holders, func(a, b holder) int { return order[a.device] - order[b.device] })
}

// of returns the holders of a device.
func (d *drawing) of(device string) []holder {
	return slices.DeleteFunc(slices.Clone(d.holders), func(h holder) bool { return h.device != device })
}

// letter returns the letter of a device, or of a share of it. The 53rd and all
// others have a question mark.
func (d *drawing) letter(h holder) string {
	const all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	key := h.device + "/" + h.share
	if letter, ok := d.letters[key]; ok {
		return letter
	}
	n := len(d.picture.Legend)
	if n == len(all) {
		return "?"
	}
	e := Entry{Letter: all[n : n+1], Device: h.device}
	for _, other := range d.of(h.device) {
		if other.share == h.share {
			e.Claims = append(e.Claims, other.claim)
		}
	}
	e.Over = len(e.Claims) > 1
	d.letters[key] = e.Letter
	d.picture.Legend = append(d.picture.Legend, e)
	return e.Letter
}

// addShared adds the capacities of the devices that claims can share.
func (d *drawing) addShared() {
	for _, device := range d.devices {
		if !ptr.Deref(device.AllowMultipleAllocations, false) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
			var users []use
			for _, h := range d.of(device.Name) {
				if amount, ok := rules.Lookup(h.result.ConsumedCapacity, d.picture.Driver, string(name)); ok {
					users = append(users, use{h, amount})
				}
			}
			total := device.Capacity[name].Value
			d.add(Row{Group: device.Name, Label: string(name), Amount: true, Cells: []Cell{d.cell(string(name), total, users)}})
		}
	}
}

// addDevices adds the devices that neither consume counters nor can be shared.
func (d *drawing) addDevices() {
	var cells []Cell
	for _, device := range d.devices {
		if len(device.ConsumesCounters) > 0 || ptr.Deref(device.AllowMultipleAllocations, false) {
			continue
		}
		c, holders := Cell{Name: device.Name}, d.of(device.Name)
		if len(holders) > 0 {
			c.Users, c.Over = []User{{d.letter(holders[0]), 1}}, len(holders) > 1
		}
		cells = append(cells, c)
	}
	for part := range slices.Chunk(cells, maxCells) {
		d.add(Row{Label: "devices", Cells: part})
	}
}

func (d *drawing) add(r Row) { d.picture.Rows = append(d.picture.Rows, r) }

// use is an amount that a holder of a device uses.
type use struct {
	holder
	amount resource.Quantity
}

// cell returns the cell of an amount.
func (d *drawing) cell(name string, total resource.Quantity, users []use) Cell {
	sum := *resource.NewQuantity(0, total.Format)
	c := Cell{Name: name, Total: total.String()}
	for _, u := range users {
		if u.amount.IsZero() {
			continue
		}
		sum.Add(u.amount)
		part := 1.0
		if !total.IsZero() {
			part = u.amount.AsApproximateFloat64() / total.AsApproximateFloat64()
		}
		c.Users = append(c.Users, User{d.letter(u.holder), part})
	}
	c.Used, c.Over = sum.String(), sum.Cmp(total) > 0
	return c
}

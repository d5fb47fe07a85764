// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"slices"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/workload/report"
)

// Container is what is known of a container of a test pod.
type Container struct {
	// Log is the log of the workload image.
	Log []byte
	// Offered returns the devices that a driver offers on the container's node.
	// It is only called for drivers of which containers do not see pool and name
	// of a device.
	Offered driverfile.Offered
}

// Seen is what a container sees of the devices of all drivers.
type Seen struct {
	// Devices lists the devices that the container sees.
	Devices []audit.DeviceID
	// Unidentified lists the drivers of which the container sees that there are
	// devices, and not which ones.
	Unidentified []string
	// OfPod lists the drivers of which the container sees the devices of its pod,
	// and thus also those for other containers, see [Seen.For].
	OfPod []string
	// Hidden lists the drivers whose devices are not visible in containers.
	Hidden []string
}

// Assuming returns the devices that the container sees if it has the wanted
// devices of those drivers whose devices it cannot identify. A driver of which
// the container sees a device that it should not see at all is in the result
// without a pool and a device.
func (s Seen) Assuming(want []audit.DeviceID) []audit.DeviceID {
	devices := slices.Clone(s.Devices)
	for _, driver := range s.Unidentified {
		of := ofDriver(want, driver)
		if len(of) == 0 {
			of = []audit.DeviceID{{Driver: driver}}
		}
		devices = append(devices, of...)
	}
	for _, driver := range s.Hidden {
		devices = append(devices, ofDriver(want, driver)...)
	}
	return devices
}

// For returns what the container sees without what it sees only because it is in
// the same pod as others: devices that are allocated to claims of the pod, and that
// are not wanted in this container.
func (s Seen) For(want, allocated []audit.DeviceID) Seen {
	isOther := func(id audit.DeviceID) bool {
		return slices.Contains(s.OfPod, id.Driver) && slices.Contains(allocated, id) && !slices.Contains(want, id)
	}
	s.Devices = slices.DeleteFunc(slices.Clone(s.Devices), isOther)
	s.Unidentified = slices.DeleteFunc(slices.Clone(s.Unidentified), func(driver string) bool {
		return slices.ContainsFunc(ofDriver(allocated, driver), isOther) && len(ofDriver(want, driver)) == 0
	})
	return s
}

func ofDriver(devices []audit.DeviceID, driver string) []audit.DeviceID {
	return slices.DeleteFunc(slices.Clone(devices), func(id audit.DeviceID) bool { return id.Driver != driver })
}

// seen returns what a container sees of the devices of drivers.
func seen(drivers []*driverfile.Driver, c Container) (Seen, error) {
	r, err := report.Read(c.Log)
	if err != nil {
		return Seen{}, err
	}
	var all Seen
	var others []audit.DeviceID
	for _, d := range drivers {
		of, err := d.Seen(r, c.Offered)
		switch {
		case err != nil:
			return Seen{}, err
		case len(d.Containers) == 0:
			all.Hidden = append(all.Hidden, d.Name)
		case of.Unidentified:
			all.Unidentified = append(all.Unidentified, d.Name)
		}
		if of.OfPod {
			all.OfPod = append(all.OfPod, d.Name)
		}
		all.Devices = append(all.Devices, of.Devices...)
		others = append(others, of.Others...)
	}
	all.Devices = append(all.Devices, undescribed(drivers, others)...)
	return all, nil
}

// undescribed returns the devices, each once, of drivers without a driver file.
// No spec requests such a device, so no container should see one.
func undescribed(drivers []*driverfile.Driver, devices []audit.DeviceID) []audit.DeviceID {
	var found []audit.DeviceID
	for _, id := range devices {
		described := slices.ContainsFunc(drivers, func(d *driverfile.Driver) bool { return d.Name == id.Driver })
		if !described && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found
}

// part returns the part of a multi-host device that a container sees.
func part(d *driverfile.Driver, c Container) (Part, error) {
	r, err := report.Read(c.Log)
	if err != nil {
		return Part{}, err
	}
	return d.Part(r, c.Offered)
}

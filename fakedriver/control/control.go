// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package control is the HTTP endpoint in the pod of the fake drivers, and the
// client of that endpoint. The suite uses it to control the drivers and to read
// the calls that they received.
//
// The endpoint is reached through the API server's proxy for pods. The proxy
// consumes the Authorization header, so the token is in the header
// Draconform-Token. Bodies are JSON. The body of an error response is {"error":
// "<why>"}. Its status is 400 (invalid request), 403 (wrong token), 404 (no
// such driver), 409 (claims are prepared) or 504 (the change was made, but the
// API server does not have it yet).
//
//	GET    /control/v1/drivers                        the drivers of the pod, a list of Status
//	GET    /control/v1/drivers/{driver}               the Status of a driver
//	PUT    /control/v1/drivers/{driver}               Published: starts the driver if it does not run, and
//	                                                  publishes that; responds when the API server has it
//	DELETE /control/v1/drivers/{driver}               stops a driver that PUT started, and deletes its slices
//	GET    /control/v1/drivers/{driver}/calls?after=N calls of the kubelet after number N, a list of calls.Call
//	POST   /control/v1/drivers/{driver}/faults        calls.Fault: is injected into future calls, once for its ID
//	DELETE /control/v1/drivers/{driver}/faults        lets waiting calls continue and discards other faults
//	PUT    /control/v1/drivers/{driver}/registration  Registration: with the kubelet
//	PUT    /control/v1/drivers/{driver}/health        Health: of devices, as reported to the kubelet
//	PUT    /control/v1/drivers/{driver}/disk          claims.Disk: whether it is full
//	POST   /control/v1/drivers/{driver}/damage        Damage: of the checkpoint, which the next process finds
//	POST   /control/v1/exit                           terminates the process immediately, without cleanup
//
// The set of drivers and what they publish survive a restart of the pod. All
// other state is reset: the log of calls is empty, no faults are injected, the
// drivers are registered, all devices are healthy, and the disks have room.
package control

import (
	"context"
	"errors"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/claims"
)

const (
	// TokenHeader is the HTTP header that contains the token.
	TokenHeader = "Draconform-Token"
	// Port is the TCP port of the endpoint in the pod.
	Port = 8080
	// base is the prefix of all paths.
	base = "/control/v1"
)

// Published describes what a driver publishes on its node.
type Published struct {
	// Devices are the devices to publish.
	Devices Devices `json:"devices"`
	// Taints are added to devices, by device name.
	Taints map[string][]resourceapi.DeviceTaint `json:"taints,omitempty"`
	// Affinity maps the names of shared devices to affinity rules, which
	// override the declarations of the devices. An empty rule removes a
	// declaration. Rules that are declared are published as an annotation of
	// the ResourceSlices.
	Affinity map[string]affinity.Rule `json:"affinity,omitempty"`
	// Defect adds a defect to the pool. The pool becomes invalid or incomplete,
	// or gets an obsolete slice.
	Defect Defect `json:"defect,omitempty"`
}

// Devices describes the devices of a node in one of three ways.
type Devices struct {
	// Model and Count are the name of a model, see package model, and the
	// number of devices of that model on the node.
	Model string `json:"model,omitempty"`
	Count int    `json:"count,omitempty"`
	// Description is a YAML document in the format of package describe.
	Description string `json:"description,omitempty"`
	// Topology describes devices that span nodes: the name of a known topology,
	// or a YAML document in the format of package topology. The topology's
	// controller publishes these devices, and the driver publishes nothing. The
	// driver prepares the node's part of the devices that span it.
	Topology string `json:"topology,omitempty"`
	// AssignHostsByName assigns the hosts of the topology in the order of the
	// worker nodes' names instead of by the topology's label. The controller
	// must be configured in the same way.
	AssignHostsByName bool `json:"assignHostsByName,omitempty"`
}

// Defect is a deliberate defect of a pool. The valid content of the pool is
// published as well.
type Defect string

const (
	// DuplicateDevice is a pool with two devices of the same name.
	DuplicateDevice Defect = "DuplicateDevice"
	// DuplicateCounterSet is a pool with two counter sets of the same name.
	DuplicateCounterSet Defect = "DuplicateCounterSet"
	// UnknownCounterSet is a pool with a device that consumes from a counter
	// set that does not exist.
	UnknownCounterSet Defect = "UnknownCounterSet"
	// UnknownCounter is a pool with a device that consumes a counter that does
	// not exist in its counter set.
	UnknownCounter Defect = "UnknownCounter"
	// MissingSlice is a pool with one slice less than its resourceSliceCount.
	MissingSlice Defect = "MissingSlice"
	// OldGeneration is a pool with a slice of the previous generation. The
	// slice contains a device with the name ObsoleteDevice that no longer
	// exists.
	OldGeneration Defect = "OldGeneration"
)

// ObsoleteDevice is the name of the obsolete device of OldGeneration. It is also
// the name of the additional device that some other defects need.
const ObsoleteDevice = "left-over"

// Defects returns all defects.
func Defects() []Defect {
	return []Defect{DuplicateDevice, DuplicateCounterSet, UnknownCounterSet, UnknownCounter, MissingSlice, OldGeneration}
}

// Status is the status of a driver.
type Status struct {
	Driver string `json:"driver"`
	// Process identifies the process. It changes with a restart.
	Process   string    `json:"process"`
	Published Published `json:"published"`
	// Pending is the reason why the API server does not have what the driver
	// wants to publish. It is empty when the API server has it in a form that
	// it supports: only whole devices where it drops counters, and only devices
	// that are not shared where it drops allowMultipleAllocations.
	Pending string `json:"pending,omitempty"`
	// Registered is true if the kubelet has registered the driver.
	Registered bool `json:"registered"`
	// Claims are the prepared claims, as <namespace>/<name>, sorted.
	Claims []string `json:"claims,omitempty"`
	// Described are the claims that have a CDI spec, sorted: claims in Claims
	// by the same name, others by UID.
	Described []string `json:"described,omitempty"`
	// Partitions are the partitions that exist, and the numbers of those that
	// were created and destroyed.
	Partitions claims.Partitions `json:"partitions"`
	// Damage describes the files that were corrupt when the driver started, and
	// how it recovered.
	Damage []string `json:"damage,omitempty"`
}

// Registration configures the registration with the kubelet.
type Registration struct {
	// Offered is false to remove the socket that the kubelet looks for.
	Offered bool `json:"offered"`
}

// Health is the health of devices, by device name. Devices that are not in the
// map are healthy.
type Health map[string]DeviceHealth

// DeviceHealth is the health of a device.
type DeviceHealth struct {
	Status  kubeletplugin.HealthStatus `json:"status"`
	Message string                     `json:"message,omitempty"`
}

// Damage damages the checkpoint of prepared claims.
type Damage struct {
	Checkpoint claims.Damage `json:"checkpoint"`
}

// Errors of requests. Other errors are unexpected.
var (
	// ErrInvalid indicates that a request is invalid.
	ErrInvalid = errors.New("invalid")
	// ErrUnknownDriver indicates that the pod has no such driver.
	ErrUnknownDriver = errors.New("no such driver")
	// ErrInUse indicates that claims are prepared. No other driver could
	// unprepare them.
	ErrInUse = errors.New("in use")
	// ErrPending indicates that a change was made and is not effective yet.
	ErrPending = errors.New("not published yet")
)

// Drivers are the drivers that the endpoint controls.
type Drivers interface {
	// List returns the status of all drivers, sorted by name.
	List() []Status
	// Status returns the status of a driver.
	Status(driver string) (Status, error)
	// Publish starts the driver if it does not run, and changes what it
	// publishes. It returns when the API server has that content.
	Publish(ctx context.Context, driver string, published Published) error
	// Stop stops a driver and deletes its ResourceSlices.
	Stop(ctx context.Context, driver string) error
	// Calls returns the calls that a driver received with a higher number than
	// after.
	Calls(driver string, after int) ([]calls.Call, error)
	// Inject injects a fault into future calls of a driver.
	Inject(driver string, fault calls.Fault) error
	// Release ends all injected faults of a driver.
	Release(driver string) error
	// Register registers a driver with the kubelet if offered is true, and
	// deregisters it otherwise.
	Register(driver string, offered bool) error
	// SetHealth changes the device health that a driver reports to the kubelet.
	SetHealth(driver string, health Health) error
	// SetDisk changes the state of the disks that a driver writes to.
	SetDisk(driver string, disk claims.Disk) error
	// Damage damages the checkpoint of a driver.
	Damage(driver string, damage Damage) error
	// Exit ends the process without any clean-up. The next one starts by itself.
	Exit()
}

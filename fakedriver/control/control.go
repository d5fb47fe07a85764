// Package control is the HTTP endpoint in the pod of the fake drivers by which
// the suite steers them and learns what they were asked, with its client.
//
// It is reached through the API server's proxy for pods, which takes the
// Authorization header for itself: the token is in the header Draconform-Token.
// Bodies are JSON. Failures are answered with {"error": "<why>"} and the status
// 400 (the request makes no sense), 403 (wrong token), 404 (there is no such
// driver), 409 (claims are prepared) or 504 (it was done, but the API server
// does not have it yet).
//
//	GET    /control/v1/drivers                        the drivers of the pod, a list of Status
//	GET    /control/v1/drivers/{driver}               one of them, a Status
//	PUT    /control/v1/drivers/{driver}               Published: starts the driver, if it is not there, and
//	                                                  publishes that; answered when the API server has it
//	DELETE /control/v1/drivers/{driver}               stops a driver that was started so, and removes its slices
//	GET    /control/v1/drivers/{driver}/calls?after=N calls of the kubelet since number N, a list of calls.Call
//	POST   /control/v1/drivers/{driver}/faults        calls.Fault: happens to calls to come
//	DELETE /control/v1/drivers/{driver}/faults        calls that wait go on, other faults are forgotten
//	PUT    /control/v1/drivers/{driver}/registration  Registration: with the kubelet
//	PUT    /control/v1/drivers/{driver}/health        Health: of devices, as it is reported to the kubelet
//	POST   /control/v1/exit                           the process exits at once, cleaning up nothing
//
// Which drivers run and what they publish survives a restart of the pod.
// Everything else begins anew: the log of calls is empty, no fault happens, the
// drivers register, and all devices are healthy.
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
	// TokenHeader is the header that has the token.
	TokenHeader = "Draconform-Token"
	// Port is where the pod listens.
	Port = 8080
	// base begins all paths.
	base = "/control/v1"
)

// Published is what a driver publishes on its node, and how.
type Published struct {
	// Devices are what there is to publish.
	Devices Devices `json:"devices"`
	// Taints are added to devices, by their names.
	Taints map[string][]resourceapi.DeviceTaint `json:"taints,omitempty"`
	// Affinity is what claims that share a device must agree on, by its name,
	// instead of what the devices say themselves: an empty rule takes that away.
	// Slices carry those that are declared as an annotation.
	Affinity map[string]affinity.Rule `json:"affinity,omitempty"`
	// Defect makes the pool one that no device may be allocated from, or has
	// something beside it that must not be.
	Defect Defect `json:"defect,omitempty"`
}

// Devices say what a node has, in one of three ways.
type Devices struct {
	// Model and Count are a model that the driver knows, see package model, and
	// how many devices of it the node has.
	Model string `json:"model,omitempty"`
	Count int    `json:"count,omitempty"`
	// Description is YAML as the package describe compiles it.
	Description string `json:"description,omitempty"`
	// Topology has devices that span nodes: the name of one that the driver
	// knows, or YAML as the package topology compiles it. The driver publishes
	// nothing then, the topology's controller does. It prepares what the node has
	// of those devices that span it.
	Topology string `json:"topology,omitempty"`
	// AssignHostsByName says which host of the topology the node is: by the order
	// of the worker nodes' names, and not by the topology's label. It must be what
	// the controller does.
	AssignHostsByName bool `json:"assignHostsByName,omitempty"`
}

// Defect is something that is wrong with a pool on purpose. Everything that is
// right is published beside it.
type Defect string

const (
	// DuplicateDevice is a name that two devices have.
	DuplicateDevice Defect = "DuplicateDevice"
	// DuplicateCounterSet is a name that two counter sets have.
	DuplicateCounterSet Defect = "DuplicateCounterSet"
	// UnknownCounterSet is a device that consumes from a counter set that
	// does not exist.
	UnknownCounterSet Defect = "UnknownCounterSet"
	// UnknownCounter is a device that consumes a counter that its counter set
	// does not have.
	UnknownCounter Defect = "UnknownCounter"
	// MissingSlice is a pool that has one slice less than it says.
	MissingSlice Defect = "MissingSlice"
	// OldGeneration is a slice of the generation before, which has a device
	// of the name LeftOver that does not exist any more.
	OldGeneration Defect = "OldGeneration"
)

// LeftOver is the name of the device that OldGeneration leaves behind. Other
// defects need a device of their own, which has that name too.
const LeftOver = "left-over"

// Defects are all there are.
func Defects() []Defect {
	return []Defect{DuplicateDevice, DuplicateCounterSet, UnknownCounterSet, UnknownCounter, MissingSlice, OldGeneration}
}

// Status is what a driver does.
type Status struct {
	Driver string `json:"driver"`
	// Process identifies the process; another one has another.
	Process   string    `json:"process"`
	Published Published `json:"published"`
	// Pending says what keeps the API server from having what the driver
	// wants to publish. It is empty when it has, in a form that it
	// understands: where it drops counters, these are whole devices, and where
	// it drops that claims may share devices, these are all others.
	Pending string `json:"pending,omitempty"`
	// Registered tells whether the kubelet has registered the driver.
	Registered bool `json:"registered"`
	// Claims are those that are prepared, as <namespace>/<name>, sorted.
	Claims []string `json:"claims,omitempty"`
	// Described are the claims for which the driver has told the container runtime
	// what containers get, sorted: those of Claims, and the UIDs of others.
	Described []string `json:"described,omitempty"`
	// Partitions are those that exist, and how many ever did.
	Partitions claims.Partitions `json:"partitions"`
	// Damage says which files were found to be corrupt when the driver
	// started, and what was done about it.
	Damage []string `json:"damage,omitempty"`
}

// Registration is whether the kubelet finds the driver.
type Registration struct {
	// Offered is false to take away the socket that the kubelet looks for.
	Offered bool `json:"offered"`
}

// Health is the health of devices, by their names. Those that are not named are
// healthy.
type Health map[string]DeviceHealth

// DeviceHealth is the health of a device.
type DeviceHealth struct {
	Status  kubeletplugin.HealthStatus `json:"status"`
	Message string                     `json:"message,omitempty"`
}

// What a request can fail with, apart from what nobody expects.
var (
	// ErrInvalid says that a request makes no sense.
	ErrInvalid = errors.New("invalid")
	// ErrUnknownDriver says that there is no such driver in the pod.
	ErrUnknownDriver = errors.New("no such driver")
	// ErrInUse says that claims are prepared, which nobody else could
	// unprepare.
	ErrInUse = errors.New("in use")
	// ErrPending says that something was done and has had no effect yet.
	ErrPending = errors.New("not published yet")
)

// Drivers are what the endpoint steers.
type Drivers interface {
	// List returns the status of all drivers, sorted by name.
	List() []Status
	// Status returns what a driver does.
	Status(driver string) (Status, error)
	// Publish starts a driver, if it is not there, and lets it publish
	// something. It returns when the API server has it.
	Publish(ctx context.Context, driver string, published Published) error
	// Stop stops a driver and removes its slices.
	Stop(ctx context.Context, driver string) error
	// Calls returns the calls that a driver got since the one with a number.
	Calls(driver string, after int) ([]calls.Call, error)
	// Inject lets a fault happen to calls that a driver is going to get.
	Inject(driver string, fault calls.Fault) error
	// Release ends all faults of a driver.
	Release(driver string) error
	// Register offers a driver to the kubelet, or takes it away.
	Register(driver string, offered bool) error
	// SetHealth changes what a driver tells the kubelet about its devices.
	SetHealth(driver string, health Health) error
	// Exit ends the process.
	Exit()
}

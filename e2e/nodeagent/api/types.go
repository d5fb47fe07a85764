// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import "time"

// Registrations is what the sockets in the plugin registry directory of a node
// return.
type Registrations struct {
	// Plugins are the registrations of the driver, sorted by socket. During a
	// rolling update, a driver can have several.
	Plugins []Registration `json:"plugins,omitempty"`
	// Silent are the sockets that could not be called, whichever plugin they
	// belong to. A process that ended without removing its socket leaves one.
	Silent []SilentSocket `json:"silent,omitempty"`
}

// Registration is the response of GetInfo on a socket in the plugin registry
// directory. See k8s.io/kubelet/pkg/apis/pluginregistration/v1.
type Registration struct {
	// Socket is the path of the socket on the node.
	Socket string `json:"socket"`
	// Type is the type of the plugin, DRAPlugin for drivers.
	Type string `json:"type"`
	// Name is the name of the driver.
	Name string `json:"name"`
	// Endpoint is the path of the socket for other calls. If it is empty, the
	// kubelet uses Socket.
	Endpoint string `json:"endpoint,omitempty"`
	// Versions are the gRPC services of the endpoint, such as v1.DRAPlugin.
	// The kubelet uses the first one that it supports.
	Versions []string `json:"versions,omitempty"`
}

// SilentSocket is a socket that could not be called.
type SilentSocket struct {
	Socket string `json:"socket"`
	Error  string `json:"error"`
}

// Claim identifies a ResourceClaim in a call.
type Claim struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// Calls are calls of NodePrepareResources or NodeUnprepareResources.
type Calls struct {
	// Driver is the name of the driver.
	Driver string `json:"driver"`
	// Socket selects a registration by the path of its socket. The default is
	// the newest socket.
	Socket string `json:"socket,omitempty"`
	// Service is the gRPC service to call: v1.DRAPlugin or v1beta1.DRAPlugin.
	// The default is the one that the kubelet uses: the first one of the
	// registration that is known.
	Service string `json:"service,omitempty"`
	// Calls are the claims of each call.
	Calls [][]Claim `json:"calls"`
	// Parallel makes all calls at the same time, on one connection. The default
	// is one after the other.
	Parallel bool `json:"parallel,omitempty"`
	// Timeout is the deadline of each call, in nanoseconds. The default is
	// DefaultTimeout, the limit is MaxTimeout.
	Timeout time.Duration `json:"timeout,omitempty"`
	// CancelAfter cancels each call after this time, in nanoseconds. Zero means
	// never.
	CancelAfter time.Duration `json:"cancelAfter,omitempty"`
}

// Answer is the response to a call, or its error.
type Answer struct {
	// Socket and Service are the registration socket and the gRPC service that
	// were used.
	Socket  string `json:"socket"`
	Service string `json:"service"`
	// Code is the gRPC status code, such as OK or DeadlineExceeded. Message is
	// the error message.
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
	// Duration is the time that the call took, in nanoseconds.
	Duration time.Duration `json:"duration"`
	// Claims are the answers by UID of the claim. It is empty if the call
	// failed.
	Claims map[string]ClaimAnswer `json:"claims,omitempty"`
}

// CodeOK is the code of a call that succeeded.
const CodeOK = "OK"

// ClaimAnswer is the answer for one claim.
type ClaimAnswer struct {
	// Devices are the prepared devices.
	Devices []Device `json:"devices,omitempty"`
	// Error is not empty if the claim could not be prepared or unprepared.
	Error string `json:"error,omitempty"`
}

// Device is a device of a claim as a driver describes it to the kubelet.
type Device struct {
	// Requests are the requests of the claim that the device is for. Empty
	// means all requests.
	Requests []string `json:"requests,omitempty"`
	Pool     string   `json:"pool"`
	Device   string   `json:"device"`
	// CDIDevices are the names of CDI devices, such as vendor/class=name.
	CDIDevices []string `json:"cdiDevices,omitempty"`
	// ShareID is empty for devices that are not shared, and in calls of
	// v1beta1.DRAPlugin.
	ShareID string `json:"shareID,omitempty"`
}

// HealthRequest requests the health of a driver's devices.
type HealthRequest struct {
	// Driver, Socket and Service have the same meaning as in Calls. The
	// services are v1.DRAResourceHealth and v1alpha1.DRAResourceHealth.
	Driver  string `json:"driver"`
	Socket  string `json:"socket,omitempty"`
	Service string `json:"service,omitempty"`
	// Timeout is the time to wait for the first report, in nanoseconds. The
	// default is DefaultTimeout, the limit is MaxTimeout.
	Timeout time.Duration `json:"timeout,omitempty"`
}

// HealthReport is the first report of NodeWatchResources.
type HealthReport struct {
	// Service is the gRPC service that was used. It is empty if the driver
	// offers none.
	Service string `json:"service,omitempty"`
	// Code and Message are the gRPC status if the stream ended without a
	// report. A driver that does not report health returns Unimplemented.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// Devices are the devices in the report.
	Devices []DeviceHealth `json:"devices,omitempty"`
}

// DeviceHealth is the health of a device.
type DeviceHealth struct {
	Pool   string `json:"pool"`
	Device string `json:"device"`
	// Health is HEALTHY, UNHEALTHY or UNKNOWN.
	Health  string `json:"health"`
	Message string `json:"message,omitempty"`
	// LastUpdated is when the driver determined the health, in seconds since
	// 1970. Zero means unknown.
	LastUpdated int64 `json:"lastUpdated,omitempty"`
}

// CDIFile is a file in a CDI directory of a node.
type CDIFile struct {
	// Path is the path on the node.
	Path string `json:"path"`
	Size int64  `json:"size"`
	// SHA256 is the hash of the content, in hexadecimal.
	SHA256 string `json:"sha256,omitempty"`
	// Devices are the full names of the CDI devices in the file.
	Devices []string `json:"devices,omitempty"`
	// Error is why the file cannot be read, or is not valid according to the
	// CDI specification. Container runtimes ignore such a file.
	Error string `json:"error,omitempty"`
}

// CDIFileVersions are files to hide from container runtimes, as if they had been
// removed. Either all of them are hidden or none. A file that has changed is an
// error, so that only what the client has read is hidden. Only files in the first
// CDI directory can be hidden, which a reboot of the node empties.
type CDIFileVersions struct {
	Files []CDIFileVersion `json:"files"`
}

// CDIFileVersion is a file with a certain content.
type CDIFileVersion struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// CDIPaths are the paths of hidden files to restore, or to remove for good. A file
// that was written again meanwhile is kept. A path that was not hidden, or was restored
// or removed already, has no effect. An agent that ends restores all files that it has
// hidden.
type CDIPaths struct {
	Paths []string `json:"paths"`
}

// KubeletClaim is an entry of the kubelet's checkpoint. The kubelet creates it
// before it calls the drivers, and removes it when all drivers have unprepared
// the claim.
type KubeletClaim struct {
	Claim
	// Pods are the UIDs of the pods of the node that use the claim.
	Pods []string `json:"pods,omitempty"`
	// Drivers are the drivers with devices in the claim, and the devices that
	// they returned when they prepared the claim. A driver that has not, or
	// returned none, has an empty list.
	Drivers map[string][]Device `json:"drivers,omitempty"`
}

// PodRequest is a request about a pod of the node.
type PodRequest struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Get selects the method Get of the PodResources API. Default: List.
	Get bool `json:"get,omitempty"`
}

// PodResources is what the kubelet's PodResources API returns of a pod.
type PodResources struct {
	// Listed is false if the pod is not in the list of List. Get fails instead.
	Listed bool `json:"listed"`
	// Containers are its containers, and the init containers that are restarted.
	Containers []ContainerResources `json:"containers,omitempty"`
}

// ContainerResources are the claims that a container uses.
type ContainerResources struct {
	Name   string           `json:"name"`
	Claims []ClaimResources `json:"claims,omitempty"`
}

// ClaimResources are the devices of a claim.
type ClaimResources struct {
	Namespace string         `json:"namespace"`
	Name      string         `json:"name"`
	Devices   []DriverDevice `json:"devices,omitempty"`
}

// DriverDevice is a device of a driver, without its requests.
type DriverDevice struct {
	Driver string `json:"driver"`
	Device
}

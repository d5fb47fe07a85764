// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"context"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// NodeAgent calls drivers on nodes as the kubelet does, and reads what drivers
// and kubelets left in files. The API of the agent documents the types.
type NodeAgent interface {
	// Registrations returns the registrations of a driver on a node.
	Registrations(ctx context.Context, node, driver string) (Registrations, error)
	// Prepare calls NodePrepareResources. An error means that no call was made.
	// The errors of calls are in their answers, which have the order of the
	// calls.
	Prepare(ctx context.Context, node string, calls PluginCalls) ([]PluginAnswer, error)
	// Unprepare calls NodeUnprepareResources, as Prepare does.
	Unprepare(ctx context.Context, node string, calls PluginCalls) ([]PluginAnswer, error)
	// Health returns the first report of NodeWatchResources.
	Health(ctx context.Context, node string, request HealthRequest) (HealthReport, error)
	// CDIFiles returns the files in the CDI directories of a node, of all
	// drivers, sorted by path.
	CDIFiles(ctx context.Context, node string) ([]CDIFile, error)
	// HideCDIFiles hides files in the CDI directory that a reboot empties, as if
	// they had been removed.
	HideCDIFiles(ctx context.Context, node string, files CDIFileVersions) error
	// RestoreCDIFiles restores the hidden files with these paths, except those
	// that were written again.
	RestoreCDIFiles(ctx context.Context, node string, paths []string) error
	// DiscardCDIFiles removes the hidden files with these paths for good, so that
	// they are not restored.
	DiscardCDIFiles(ctx context.Context, node string, paths []string) error
	// KubeletClaims returns the claims in the kubelet's checkpoint, of all
	// drivers, sorted by namespace and name.
	KubeletClaims(ctx context.Context, node string) ([]KubeletClaim, error)
	// PodResources returns what the kubelet's PodResources API lists of the claims
	// of a pod.
	PodResources(ctx context.Context, node string, of PodRequest) (PodResources, error)
}

// Types of the node agent.
type (
	// Registrations is what the registration sockets of a node return.
	Registrations = api.Registrations
	// Registration is the response of a driver to GetInfo.
	Registration = api.Registration
	// PluginClaim identifies a claim in a call.
	PluginClaim = api.Claim
	// PluginCalls are calls of a driver.
	PluginCalls = api.Calls
	// PluginAnswer is the response to a call, or its error.
	PluginAnswer = api.Answer
	// ClaimAnswer is the answer for one claim of a call.
	ClaimAnswer = api.ClaimAnswer
	// PreparedDevice is a device as a driver describes it to the kubelet.
	PreparedDevice = api.Device
	// HealthRequest requests the health of a driver's devices.
	HealthRequest = api.HealthRequest
	// HealthReport is a report about the health of a driver's devices.
	HealthReport = api.HealthReport
	// DeviceHealth is the health of a device.
	DeviceHealth = api.DeviceHealth
	// CDIFile is a file in a CDI directory.
	CDIFile = api.CDIFile
	// CDIFileVersions are files in a CDI directory with a certain content.
	CDIFileVersions = api.CDIFileVersions
	// CDIFileVersion is one of them.
	CDIFileVersion = api.CDIFileVersion
	// KubeletClaim is a claim in the kubelet's checkpoint.
	KubeletClaim = api.KubeletClaim
	// PodRequest names a pod.
	PodRequest = api.PodRequest
	// PodResources is what the kubelet's PodResources API returns of a pod.
	PodResources = api.PodResources
	// ContainerResources are the claims of a container in this list.
	ContainerResources = api.ContainerResources
)

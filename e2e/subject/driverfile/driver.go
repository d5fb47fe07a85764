// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package driverfile has the kind Driver: a YAML file that describes a DRA
// driver for specs. It says which devices specs can request and how containers
// see them. The package decodes such files strictly, and finds the devices of a
// driver in what a container reports.
package driverfile

import (
	"regexp"
	"strings"

	"github.com/draconform/draconform/internal/strictyaml"
)

// The version and the kind of the documents in a driver file.
const (
	APIVersion = "draconform.dev/v1alpha1"
	Kind       = "Driver"
)

// nameVariable stands for the name of the driver in class names, selectors,
// names of attributes and capacities, and patterns. With it, a file describes
// the same driver under another name.
const nameVariable = "$(name)"

// Driver describes a DRA driver for specs. One file can contain several
// drivers, as several YAML documents. $(name) stands for the name of the driver
// in class names, selectors, names of attributes and capacities, and patterns.
type Driver struct {
	// APIVersion is the version of this kind.
	APIVersion string `json:"apiVersion"`
	// Kind is Driver.
	Kind string `json:"kind"`
	// Name is the name of the driver, as in its ResourceSlices. It has at most
	// 63 characters.
	Name string `json:"name"`
	// Implementation identifies the driver in published reports. A report
	// without it can be used, but not published.
	Implementation *Implementation `json:"implementation,omitempty"`
	// Mode names the configuration of the driver, if it has several that are
	// judged separately. Default: default.
	Mode string `json:"mode,omitempty"`
	// DaemonSet has the pods of the driver. Default: unknown, and then nothing
	// can be allowed.
	DaemonSet *DaemonSet `json:"daemonSet,omitempty"`
	// Allow lists what a run may do with the driver's DaemonSet. Default:
	// nothing.
	Allow Allow `json:"allow,omitzero"`
	// Pods has what the pods of specs need in order to run.
	Pods Pods `json:"pods,omitzero"`
	// Roles has the devices that specs can request. Specs that use a role which
	// the file does not have are not applicable.
	Roles Roles `json:"roles,omitzero"`
	// Containers lists how containers see the devices of the driver. The first
	// entry by which a container sees any device counts. Default: containers do
	// not see devices, and specs that need to see some are not applicable.
	Containers []Source `json:"containers,omitempty"`
	// Capabilities says what the driver can do. Default: find-out for each.
	Capabilities Capabilities `json:"capabilities,omitzero"`
	// Timeouts replaces the suite's default limits of waits.
	Timeouts Timeouts `json:"timeouts,omitzero"`

	document *strictyaml.Document
}

// Implementation identifies a driver in published reports.
type Implementation struct {
	// Organization is the vendor or the organization behind the driver.
	Organization string `json:"organization"`
	// Project is the name of the driver's project.
	Project string `json:"project"`
	// URL is the web page of the project, with http or https.
	URL string `json:"url"`
	// Version is the released version of the driver that runs in the cluster,
	// not a branch.
	Version string `json:"version"`
	// Contact lists whom to ask about the report: user names, addresses of
	// mail, or web pages. At least one.
	Contact []string `json:"contact"`
}

// DaemonSet refers to the DaemonSet of a driver.
type DaemonSet struct {
	// Namespace is the namespace of the DaemonSet.
	Namespace string `json:"namespace"`
	// Name is the name of the DaemonSet.
	Name string `json:"name"`
	// Container is the container with the driver. Default: the first one.
	Container string `json:"container,omitempty"`
}

// Allow lists what a run may do with the DaemonSet of a driver.
type Allow struct {
	// Restart allows to delete pods of the DaemonSet, which restarts the driver.
	// Default: false.
	Restart bool `json:"restart,omitempty"`
	// Update allows to change the image of the DaemonSet and to change it back.
	// Default: not allowed.
	Update *Update `json:"update,omitempty"`
	// Logs allows to read the logs of the DaemonSet's pods after a failure.
	// Default: false.
	Logs bool `json:"logs,omitempty"`
}

// Update is a change of the image of a DaemonSet.
type Update struct {
	// Image is the image to change to.
	Image string `json:"image"`
}

// Expand returns a text with the name of the driver in place of $(name).
func (d *Driver) Expand(text string) string { return strings.ReplaceAll(text, nameVariable, d.Name) }

// expandPattern is Expand for a regular expression.
func (d *Driver) expandPattern(pattern string) string {
	return strings.ReplaceAll(pattern, nameVariable, regexp.QuoteMeta(d.Name))
}

// Position returns the file and the line of a field such as roles.shared, or of
// the closest field around it. It is empty if the driver was not read from a
// file.
func (d *Driver) Position(path string) string { return d.document.Position(path) }

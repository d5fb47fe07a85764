// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package containers

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"tags.cncf.io/container-device-interface/pkg/cdi"
	"tags.cncf.io/container-device-interface/pkg/parser"
	"tags.cncf.io/container-device-interface/specs-go"
)

// cdiClass is the class of all CDI devices. Their vendor is the name of the driver.
const cdiClass = "device"

// specExtension is the extension of the files with CDI specs.
const specExtension = ".json"

// Specs writes and removes CDI specs, one for each claim.
type Specs struct {
	cache  *cdi.Cache
	vendor string
}

// NewSpecs returns the specs of a driver in a directory.
func NewSpecs(dir, driver string) (*Specs, error) {
	if err := parser.ValidateVendorName(driver); err != nil {
		return nil, fmt.Errorf("use the driver's name as CDI vendor: %w", err)
	}
	cache, err := cdi.NewCache(cdi.WithSpecDirs(dir), cdi.WithAutoRefresh(false))
	if err != nil {
		return nil, fmt.Errorf("open CDI directory %s: %w", dir, err)
	}
	return &Specs{cache: cache, vendor: driver}, nil
}

// ID returns the CDI device of the device with this number of [Specs.Write].
func (s *Specs) ID(claim types.UID, number int) string {
	return parser.QualifiedName(s.vendor, cdiClass, deviceName(claim, number))
}

// deviceName contains the UID of the claim: container runtimes may keep specs, so that a
// name must never have another meaning.
func deviceName(claim types.UID, number int) string { return fmt.Sprintf("%s-%d", claim, number) }

// Write creates or replaces the spec of a claim. A claim without devices has none.
func (s *Specs) Write(claim types.UID, devices []Device) error {
	if len(devices) == 0 {
		return s.Remove(string(claim))
	}
	spec := &specs.Spec{Kind: s.vendor + "/" + cdiClass}
	for i, device := range devices {
		variable, err := device.Variable()
		if err != nil {
			return err
		}
		spec.Devices = append(spec.Devices, specs.Device{
			Name: deviceName(claim, i), ContainerEdits: specs.ContainerEdits{Env: []string{variable}},
		})
	}
	version, err := specs.MinimumRequiredVersion(spec)
	if err != nil {
		return fmt.Errorf("determine the version of a CDI spec: %w", err)
	}
	spec.Version = version
	if err := s.cache.WriteSpec(spec, s.file(string(claim))); err != nil {
		return fmt.Errorf("write a CDI spec: %w", err)
	}
	return nil
}

// Remove removes the spec of a claim, if it exists.
func (s *Specs) Remove(claim string) error {
	if err := s.cache.RemoveSpec(s.file(claim)); err != nil {
		return fmt.Errorf("remove a CDI spec: %w", err)
	}
	return nil
}

func (s *Specs) file(claim string) string {
	return cdi.GenerateTransientSpecName(s.vendor, cdiClass, claim) + specExtension
}

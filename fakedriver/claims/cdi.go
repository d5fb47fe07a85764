// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"tags.cncf.io/container-device-interface/pkg/cdi"
	"tags.cncf.io/container-device-interface/pkg/parser"
	"tags.cncf.io/container-device-interface/specs-go"

	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// cdiClass is the class of all CDI devices. Their vendor is the name of the
// driver, which distinguishes the drivers of a node.
const cdiClass = "device"

// specDir writes and removes CDI specs, one per claim.
type specDir struct {
	cache  *cdi.Cache
	dir    string
	vendor string
	// damage describes corrupt files that were renamed.
	damage []string
}

func newSpecDir(dir, vendor string) (*specDir, error) {
	if err := parser.ValidateVendorName(vendor); err != nil {
		return nil, fmt.Errorf("use the driver's name as CDI vendor: %w", err)
	}
	var damage []string
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		copied, err := moveAside(dir)
		if err != nil {
			return nil, fmt.Errorf("rename %s, which is not a CDI directory: %w", dir, err)
		}
		damage = append(damage, fmt.Sprintf("CDI directory %s is not a directory; kept as %s", dir, copied))
	}
	// The cache is used only for writing and removing specs.
	cache, err := cdi.NewCache(cdi.WithSpecDirs(dir), cdi.WithAutoRefresh(false))
	if err != nil {
		return nil, fmt.Errorf("open CDI directory %s: %w", dir, err)
	}
	return &specDir{cache: cache, dir: dir, vendor: vendor, damage: damage}, nil
}

// write creates or replaces the spec of a claim atomically.
func (d *specDir) write(uid types.UID, claim preparedClaim) error {
	spec := &specs.Spec{Kind: d.vendor + "/" + cdiClass}
	for _, device := range claim.Devices {
		shown := device.Device
		if fault.ShowsAnotherDevice {
			shown.Device = "another"
		}
		variable, err := shown.Variable()
		if err != nil {
			return err
		}
		edits := specs.ContainerEdits{Env: []string{variable}}
		if fault.NamesMissingHook {
			edits.Hooks = []*specs.Hook{{HookName: cdi.CreateRuntimeHook, Path: "/no/such/hook"}}
		}
		if fault.EditsForAllDevices {
			spec.ContainerEdits.Env = append(spec.ContainerEdits.Env, variable)
		}
		spec.Devices = append(spec.Devices, specs.Device{Name: cdiName(device), ContainerEdits: edits})
	}
	version, err := specs.MinimumRequiredVersion(spec)
	if err != nil {
		return fmt.Errorf("determine version of CDI spec: %w", err)
	}
	spec.Version = version
	if err := d.cache.WriteSpec(spec, d.fileName(uid)); err != nil {
		return fmt.Errorf("write CDI spec for claim %s: %w", claim, err)
	}
	return nil
}

// remove removes the spec of a claim, if it exists.
func (d *specDir) remove(uid types.UID) error {
	if fault.LeavesSpecs {
		return nil
	}
	if err := d.cache.RemoveSpec(d.fileName(uid)); err != nil {
		return fmt.Errorf("remove CDI spec: %w", err)
	}
	return nil
}

// list returns the claims that have a spec of this driver. Specs that cannot be
// decoded are renamed.
func (d *specDir) list() ([]types.UID, error) {
	present, err := d.present()
	if err != nil {
		return nil, err
	}
	var uids []types.UID
	for _, uid := range present {
		path := filepath.Join(d.dir, d.fileName(uid))
		problem := d.check(path)
		if problem == nil {
			uids = append(uids, uid)
			continue
		}
		copied, err := moveAside(path)
		if err != nil {
			return nil, fmt.Errorf("%w; %w", problem, err)
		}
		d.damage = append(d.damage, fmt.Sprintf("%v; kept as %s", problem, copied))
	}
	return uids, nil
}

// present returns the claims that have a file whose name is that of a spec of
// this driver.
func (d *specDir) present() ([]types.UID, error) {
	entries, err := os.ReadDir(d.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list CDI specs: %w", err)
	}
	var uids []types.UID
	for _, entry := range entries {
		uid, ours := strings.CutPrefix(entry.Name(), cdi.GenerateTransientSpecName(d.vendor, cdiClass, ""))
		if ours && filepath.Ext(uid) == specExtension {
			uids = append(uids, types.UID(strings.TrimSuffix(uid, specExtension)))
		}
	}
	return uids, nil
}

// exists reports whether a claim has a spec.
func (d *specDir) exists(uid types.UID) bool {
	_, err := os.Stat(filepath.Join(d.dir, d.fileName(uid)))
	return err == nil
}

// check returns an error if this driver cannot have written the spec.
func (d *specDir) check(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read CDI spec: %w", err)
	}
	var spec specs.Spec
	if err := json.Unmarshal(data, &spec); err != nil {
		return fmt.Errorf("decode CDI spec %s: %w: %w", path, errCorrupt, err)
	}
	if spec.Kind != d.vendor+"/"+cdiClass {
		return fmt.Errorf("decode CDI spec %s: %w: it is for %q", path, errCorrupt, spec.Kind)
	}
	return nil
}

const specExtension = ".json"

func (d *specDir) fileName(uid types.UID) string {
	return cdi.GenerateTransientSpecName(d.vendor, cdiClass, string(uid)) + specExtension
}

// qualifiedName returns the CDI device ID that the kubelet passes to the
// container runtime.
func (d *specDir) qualifiedName(device preparedDevice) string {
	return parser.QualifiedName(d.vendor, cdiClass, cdiName(device))
}

// cdiName returns a name that is unique across all claims, because runtimes may
// cache specs. None of its parts contains an underscore. The slash between
// request and subrequest is replaced by a dot.
func cdiName(device preparedDevice) string {
	parts := []string{device.ClaimUID, strings.ReplaceAll(device.Request, "/", "."), device.Device.Device}
	if device.ShareID != "" && !fault.NamesDevicesWithoutShare {
		parts = append(parts, device.ShareID)
	}
	if fault.NamesDevicesWithoutClaim {
		parts = parts[1:]
	}
	name := strings.Join(parts, "_")
	if variant.NamesSpecsOtherwise {
		return fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
	}
	return name
}

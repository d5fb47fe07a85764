package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
)

// stateFile has what a driver publishes, in the directory of the driver.
const stateFile = "published.json"

func hasState(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, stateFile))
	return err == nil
}

func saveState(dir string, published control.Published) error {
	data, err := json.MarshalIndent(published, "", "  ")
	if err != nil {
		return fmt.Errorf("encode what is published: %w", err)
	}
	if err := claims.WriteFile(filepath.Join(dir, stateFile), data); err != nil {
		return fmt.Errorf("remember what is published: %w", err)
	}
	return nil
}

func removeState(dir string) error {
	if err := os.Remove(filepath.Join(dir, stateFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what is published: %w", err)
	}
	return nil
}

// loadState returns what a driver published, or the preset if nothing says
// anything else. A file that cannot be understood, or says what a check does not
// accept, is kept under another name and described; its place is taken by the
// preset.
func loadState(dir string, preset control.Published, check func(control.Published) error) (published control.Published, damage string, err error) {
	path := filepath.Join(dir, stateFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return preset, "", nil
	}
	if err != nil {
		return preset, "", fmt.Errorf("find out what was published: %w", err)
	}
	problem := claims.Decode(data, &published)
	if problem == nil && isKnown(published) {
		problem = check(published)
	}
	if problem == nil {
		return published, "", nil
	}
	copied, err := claims.KeepCopy(path)
	if err != nil {
		return preset, "", fmt.Errorf("find out what was published: %s: %w; %w", path, problem, err)
	}
	damage = fmt.Sprintf("go by %s: %v; kept as %s", path, problem, copied)
	if isKnown(preset) {
		return preset, damage, removeState(dir)
	}
	// The file says that the driver runs.
	return preset, damage, saveState(dir, preset)
}

// isKnown tells whether there is something to publish at all. Otherwise a driver
// leaves its slices as they are.
func isKnown(published control.Published) bool {
	return published.Devices != control.Devices{}
}

package claims

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/fakedriver/devenv"
)

const (
	checkpointFile    = "checkpoint.json"
	checkpointVersion = 1
)

// checkpoint is the content of the checkpoint file: everything that the driver
// must know after a restart. A CDI spec can be derived from it without the
// claim and without the model, which both may have changed in the meantime.
type checkpoint struct {
	Version int                         `json:"version"`
	Claims  map[types.UID]preparedClaim `json:"claims"`
}

type preparedClaim struct {
	Namespace string           `json:"namespace"`
	Name      string           `json:"name"`
	Devices   []preparedDevice `json:"devices"`
}

type preparedDevice struct {
	devenv.Device
	// AdminAccess devices may be held by others at the same time.
	AdminAccess bool `json:"adminAccess,omitempty"`
}

func (c preparedClaim) String() string { return c.Namespace + "/" + c.Name }

// loadCheckpoint returns an empty checkpoint if there is no file yet.
func loadCheckpoint(dir string) (checkpoint, error) {
	empty := checkpoint{Version: checkpointVersion, Claims: map[types.UID]preparedClaim{}}
	path := filepath.Join(dir, checkpointFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("read checkpoint: %w", err)
	}
	var loaded checkpoint
	if err := yaml.UnmarshalStrict(data, &loaded); err != nil { // JSON is YAML.
		return empty, fmt.Errorf("decode checkpoint %s: %w", path, err)
	}
	if loaded.Version != checkpointVersion || loaded.Claims == nil {
		return empty, fmt.Errorf("decode checkpoint %s: has version %d, this driver knows %d with a list of claims", path, loaded.Version, checkpointVersion)
	}
	return loaded, nil
}

// save replaces the checkpoint file. After a crash at any moment the file holds
// either the old content or the new one.
func (c checkpoint) save(dir string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	// The name is always the same: what a crash left behind is overwritten
	// and not collected.
	temporary := filepath.Join(dir, checkpointFile+".tmp")
	if err := writeSynced(temporary, data); err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	if err := os.Rename(temporary, filepath.Join(dir, checkpointFile)); err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	if err := syncDir(dir); err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	return nil
}

func writeSynced(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Sync(); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

// syncDir makes a rename in the directory survive a loss of power.
func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

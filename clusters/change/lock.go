// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/draconform/draconform/internal/filelock"
)

// lock prevents other commands of this user from changing the cluster until it is unlocked. Scripts that such
// commands have left running on a node hold a lock of their own, which the next script on that node waits for.
func (c *cluster) lock() (unlock func(), err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find the user's cache folder: %w", err)
	}
	dir := filepath.Join(cache, "draconform", "clusters")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("lock cluster %s: %w", c.provider.Name(), err)
	}
	unlock, err = filelock.Try(filepath.Join(dir, c.engine.Name()+"-"+c.provider.Name()+".lock"))
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("another command is changing cluster %s: try again when it is done", c.provider.Name())
	}
	if err != nil {
		return nil, fmt.Errorf("lock cluster %s: %w", c.provider.Name(), err)
	}
	return unlock, nil
}

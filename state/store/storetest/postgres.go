// Package storetest runs a PostgreSQL server for tests.
package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"
)

// ErrNotInstalled says that there is no server on this machine.
var ErrNotInstalled = errors.New("no PostgreSQL server is installed; deploy/setup.sh test installs it")

// startLimit bounds how long a server may take until it answers.
const startLimit = time.Minute

// Postgres is a server in a folder of its own, that listens on a Unix socket there and nowhere else. The zero value was not started. It
// belongs to one goroutine at a time.
type Postgres struct {
	dir        string
	program    string
	arguments  []string
	attributes *syscall.SysProcAttr
	process    *exec.Cmd // nil: it does not run
	log        *os.File
	stopped    chan struct{} // closed when the process has ended
}

// Start makes the folder and starts the server with these arguments. The caller stops it, also after an error.
func (p *Postgres) Start(arguments ...string) error {
	initdb := installed("initdb")
	if p.program = installed("postgres"); initdb == "" || p.program == "" {
		return ErrNotInstalled
	}
	var err error
	if err = p.make(initdb, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	rules := "local all locked scram-sha-256\nlocal all all trust\nlocal replication all trust\n"
	if err := os.WriteFile(filepath.Join(p.data(), "pg_hba.conf"), []byte(rules), 0o600); err != nil {
		return err
	}
	return p.begin(arguments)
}

// Follow makes the folder and starts a standby of a server, which from now on acknowledges nothing that the standby does not have. The
// caller stops it, also after an error.
func (p *Postgres) Follow(primary *Postgres) error {
	copied := installed("pg_basebackup")
	if p.program = installed("postgres"); copied == "" || p.program == "" {
		return ErrNotInstalled
	}
	if err := p.make(copied, "-h", primary.dir, "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync"); err != nil {
		return err
	}
	if err := p.begin(nil); err != nil {
		return err
	}
	if err := primary.exec("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"); err != nil {
		return err
	}
	return primary.until("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
}

// Promote makes a standby the primary.
func (p *Postgres) Promote() error { return p.exec("SELECT pg_promote()") }

func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

// make has a program fill the folder of the data.
func (p *Postgres) make(program string, arguments ...string) (err error) {
	if p.dir, err = os.MkdirTemp("", "viva-pg"); err != nil {
		return err
	}
	if p.attributes, err = p.unprivileged(); err != nil {
		return err
	}
	made := exec.Command(program, append([]string{"-D", p.data()}, arguments...)...)
	made.SysProcAttr, made.Dir = p.attributes, p.dir
	if out, err := made.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, out)
	}
	return nil
}

func (p *Postgres) begin(arguments []string) (err error) {
	if p.log, err = os.Create(filepath.Join(p.dir, "log")); err != nil {
		return err
	}
	p.arguments = append([]string{"-D", p.data(), "-k", p.dir, "-c", "listen_addresses="}, arguments...)
	return p.Restart()
}

// exec runs statements as the superuser.
func (p *Postgres) exec(statements ...string) error {
	db, err := sql.Open("pgx", p.URL("postgres", "", "postgres"))
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err = db.ExecContext(context.Background(), statement); err != nil {
			err = fmt.Errorf("%s: %w", statement, err)
			break
		}
	}
	return errors.Join(err, db.Close())
}

// Restart starts the server again after Crash, and waits until it answers.
func (p *Postgres) Restart() error {
	p.process = exec.Command(p.program, p.arguments...)
	p.process.SysProcAttr, p.process.Dir, p.process.Stdout, p.process.Stderr = p.attributes, p.dir, p.log, p.log
	if err := p.launch(); err != nil {
		p.process = nil
		return err
	}
	return p.await()
}

// launch starts the server on a thread that stays: the system tells a process that its parent has died when the thread that
// started it ends, and Go ends threads as it likes.
func (p *Postgres) launch() error {
	p.stopped = make(chan struct{})
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.process.Start()
		started <- err
		if err == nil {
			<-p.stopped
		}
	}()
	return <-started
}

// unprivileged gives the folder to somebody who is not root: PostgreSQL does not run as root.
func (p *Postgres) unprivileged() (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Getuid() != 0 {
		return attributes, nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		if who, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err1 := strconv.Atoi(who.Uid)
	gid, err2 := strconv.Atoi(who.Gid)
	attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attributes, errors.Join(err1, err2, os.Chown(p.dir, uid, gid))
}

func (p *Postgres) await() error { return p.until("SELECT 1") }

// until waits for a count that is not 0.
func (p *Postgres) until(query string) error {
	db, err := sql.Open("pgx", p.URL("postgres", "", "postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // nothing was written
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var n int
		err := db.QueryRowContext(ctx, query).Scan(&n)
		if err == nil && n > 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			said, _ := os.ReadFile(p.log.Name())
			return fmt.Errorf("PostgreSQL has none of %q: %w\n%s", query, errors.Join(err, ctx.Err()), said)
		}
	}
}

// Either names a database of whichever of two servers can be written.
func (p *Postgres) Either(other *Postgres, name, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(name), Path: "/" + database}
	u.RawQuery = url.Values{"host": {p.dir + "," + other.dir}, "target_session_attrs": {"read-write"}}.Encode()
	return u.String()
}

// URL names a database, as that user.
func (p *Postgres) URL(name, password, database string) string {
	who := url.User(name)
	if password != "" {
		who = url.UserPassword(name, password)
	}
	u := url.URL{Scheme: "postgres", User: who, Path: "/" + database, RawQuery: url.Values{"host": {p.dir}}.Encode()}
	return u.String()
}

// Crash ends the server at once, with all its connections; what it had committed it recovers at the next start.
func (p *Postgres) Crash() error {
	if p.process == nil {
		return nil
	}
	if err := p.process.Process.Signal(syscall.SIGQUIT); err != nil {
		return err
	}
	_ = p.process.Wait() // it says that it was told to quit
	p.process = nil
	close(p.stopped)
	return nil
}

// Stop ends the server, if it runs, and takes its folder away.
func (p *Postgres) Stop() error {
	if p.dir == "" {
		return nil
	}
	err := p.Crash()
	if p.log != nil {
		err = errors.Join(err, p.log.Close())
	}
	return errors.Join(err, os.RemoveAll(p.dir))
}

// installed finds a program of PostgreSQL's server, which Debian keeps outside of the path; "" when there is none.
func installed(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program) // the pattern is well-formed
	slices.Sort(found)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

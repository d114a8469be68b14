/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Signals that end or stop the process reach handlers, which are given nothing: hence the one mutable struct. Those that the owner of the screen
 * waits for itself (SIGINT, SIGTERM) are its business; a handler here is for stopping, and for crashes.
 */
#include "base/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "base/options.h"

#define ENTER "\033[?1049h\033[?25l" /* the alternate screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"

static struct {
	volatile sig_atomic_t is_taken, is_stop_wanted, is_size_new;
	int notice_fd;
	int stderr_fd, held_fd; /* where stderr goes to, and where its messages wait; -1: stderr is no terminal */
	struct termios before;
} screen = { .notice_fd = -1, .stderr_fd = -1, .held_fd = -1 };

/* Signals to end are the owner's while it waits for them, and blocked then. */
static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGHUP, SIGQUIT, SIGINT, SIGTERM };

static int size_from(const char *variable, int otherwise)
{
	const char *text = getenv(variable);
	uint64_t value;

	return text && !options_u64(text, 1, 10000, &value) ? (int)value : otherwise;
}

struct terminal_size terminal_size_of(int fd)
{
	struct winsize w = { 0 };
	struct terminal_size s;

	ioctl(fd, TIOCGWINSZ, &w);
	s.rows = w.ws_row ? w.ws_row : size_from("LINES", 24);
	s.columns = w.ws_col ? w.ws_col : size_from("COLUMNS", 80);
	return s;
}

bool terminal_has_screen(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static void put(const char *text)
{
	ssize_t n = write(STDOUT_FILENO, text, strlen(text));

	(void)n;
}

static void take_screen(void)
{
	struct termios raw = screen.before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	put(ENTER);
	screen.is_taken = true;
}

/* Only what a handler may call. */
static void give_back(void)
{
	if (!screen.is_taken)
		return;
	screen.is_taken = false;
	put(LEAVE);
	tcsetattr(STDIN_FILENO, TCSANOW, &screen.before);
}

static void on_notice(int sig)
{
	int err = errno;

	if (sig == SIGTSTP)
		screen.is_stop_wanted = true;
	screen.is_size_new = true;
	io_notify(screen.notice_fd);
	errno = err;
}

static void on_crash(int sig)
{
	give_back();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void set_handler(int sig, void (*from)(int), void (*to)(int))
{
	struct sigaction sa = { .sa_handler = to, .sa_flags = SA_RESTART }, old;

	/* What the caller ignores stays ignored. */
	if (!sigaction(sig, NULL, &old) && old.sa_handler == from)
		sigaction(sig, &sa, NULL);
}

static void set_handlers(bool on)
{
	static const int notices[] = { SIGTSTP, SIGWINCH, SIGCONT };

	for (size_t i = 0; i < sizeof(notices) / sizeof(*notices); i++)
		set_handler(notices[i], on ? SIG_DFL : on_notice, on ? on_notice : SIG_DFL);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		set_handler(crashes[i], on ? SIG_DFL : on_crash, on ? on_crash : SIG_DFL);
}

/* A message would be drawn over, and would move the picture. */
static void hold_messages(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	screen.held_fd = memfd_create("messages", MFD_CLOEXEC);
	screen.stderr_fd = screen.held_fd < 0 ? -1 : dup(STDERR_FILENO);
	if (screen.stderr_fd >= 0)
		dup2(screen.held_fd, STDERR_FILENO);
}

static void release_messages(void)
{
	char text[4096];
	ssize_t n;

	if (screen.stderr_fd >= 0) {
		dup2(screen.stderr_fd, STDERR_FILENO);
		close(screen.stderr_fd);
		for (uint64_t off = 0; (n = io_pread(screen.held_fd, text, sizeof(text), off)) > 0; off += (uint64_t)n)
			io_write(STDERR_FILENO, text, (size_t)n, NULL);
	}
	if (screen.held_fd >= 0)
		close(screen.held_fd);
	screen.stderr_fd = screen.held_fd = -1;
}

int terminal_open(int notice_fd, struct errbuf *eb)
{
	if (tcgetattr(STDIN_FILENO, &screen.before))
		return errbuf_set(eb, -errno, "cannot use the terminal: %s; --stdio prints text instead", strerror(errno));
	screen.notice_fd = notice_fd;
	screen.is_stop_wanted = screen.is_size_new = false;
	hold_messages();
	set_handlers(true);
	take_screen();
	return 0;
}

void terminal_close(void)
{
	if (screen.notice_fd < 0)
		return;
	give_back();
	set_handlers(false);
	screen.notice_fd = -1;
	release_messages();
}

bool terminal_take_notice(void)
{
	if (screen.is_stop_wanted) {
		screen.is_stop_wanted = false;
		give_back();
		raise(SIGSTOP); /* this thread stops before it returns */
		/* Here when someone continues us, perhaps in the background: then the terminal stops us again. */
		take_screen();
		screen.is_size_new = true;
	}
	if (!screen.is_size_new)
		return false;
	screen.is_size_new = false;
	return true;
}

ssize_t terminal_read(char *keys, size_t size)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	ssize_t n = poll(&p, 1, 0) > 0 ? read(STDIN_FILENO, keys, size) : 0;

	return n < 0 ? 0 : n;
}
